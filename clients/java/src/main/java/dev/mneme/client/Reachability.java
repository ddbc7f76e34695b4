package dev.mneme.client;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether an address is of this machine, and in words why there is no connection to it. */
final class Reachability {
  /** The first line of the cause of the last attempt to connect, in gRPC's text for a deadline. */
  private static final Pattern LAST_FAILURE = Pattern.compile("Last Pick Failure=.*?, cause=[\\w.$]+: ([^\\n]*)");

  private Reachability() {}

  /** An address of this machine is never reached over a proxy. */
  static boolean isLoopback(String address) {
    if (address.startsWith("unix:")) return true;
    String host = hostOf(address).toLowerCase(Locale.ROOT).replaceAll("\\.$", "");
    if (host.equals("localhost") || host.endsWith(".localhost")) return true;
    if (!host.matches("[0-9.]+|[0-9a-f:.]*:[0-9a-f:.]*")) return false;
    try {
      InetAddress ip = InetAddress.getByName(host); // Digits alone: no name is looked up.
      return ip.isLoopbackAddress() || ip.isAnyLocalAddress();
    } catch (UnknownHostException none) {
      return false;
    }
  }

  private static String hostOf(String address) {
    String host = address.replaceFirst("^dns:(///)?", "");
    if (host.startsWith("[")) return host.substring(1, Math.max(1, host.indexOf(']')));
    return host.indexOf(':') == host.lastIndexOf(':') ? host.replaceFirst(":.*", "") : host;
  }

  /** Why there is no connection, or why it has ended, from what gRPC says of it. */
  static String text(Connection connection, String said, Throwable fault) {
    String address = connection.address;
    String cause = causeOf(said, fault);
    String proxy = proxyOf(address);
    if (proxy != null) {
      return "no connection to " + address + " over the proxy " + proxy + ": " + cause + "; to go there without it, add " + hostOf(address)
          + " to -Dhttp.nonProxyHosts, or to no_proxy where its settings come from the system";
    }
    for (Throwable each = fault; each != null; each = each.getCause()) {
      if (each instanceof UnknownHostException) return "no connection to " + address + ": its host has no address";
    }
    if (cause.contains("Connection refused")) return "connection refused at " + address + ": is it running? (mneme serve)";
    if (cause.contains("not an SSL/TLS record")) {
      return "the server at " + address + " does not speak TLS: connect without Options.tls, or start it with --tls-cert and --tls-key";
    }
    // The first bytes of a TLS alert, where HTTP/2 has its settings.
    if (cause.contains("not SETTINGS") && cause.contains("1503")) return "the server at " + address + " wants TLS: see Options.tls";
    return "no answer from " + address + ": " + cause;
  }

  private static String causeOf(String said, Throwable fault) {
    Matcher last = LAST_FAILURE.matcher(said);
    String cause = last.find() ? last.group(1) : said;
    for (Throwable each = fault; each != null; each = each.getCause()) {
      if (each.getMessage() != null) cause = each.getMessage().lines().findFirst().orElse(cause);
    }
    return cause;
  }

  private static String proxyOf(String address) {
    ProxySelector selector = ProxySelector.getDefault();
    if (selector == null || isLoopback(address)) return null;
    for (Proxy each : selector.select(URI.create("https://" + hostOf(address)))) {
      if (each.type() == Proxy.Type.HTTP && each.address() instanceof InetSocketAddress at) return at.getHostString() + ":" + at.getPort();
    }
    return null;
  }
}
