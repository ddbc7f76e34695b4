package dev.mneme.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import dev.mneme.client.EventStream;
import dev.mneme.client.Mneme;
import dev.mneme.client.MnemeException;
import dev.mneme.client.Options;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The driver of the contract test for this client: maps lines to calls, see test/contract/README.md. */
public final class Driver {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, Mneme> clients = new ConcurrentHashMap<>();
  private final Map<String, Streams> streams = new ConcurrentHashMap<>();
  private final Map<Integer, Pending> running = new ConcurrentHashMap<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private Driver() {}

  /** Answers lines until there are no more. */
  public static void main(String[] arguments) throws IOException {
    Driver driver = new Driver();
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) driver.take(parse(line));
    }
    System.exit(0);
  }

  static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException fault) {
      throw new IllegalArgumentException(fault);
    }
  }

  /** What is sent must go in the order of the lines; all else may wait on a thread of its own. */
  private void take(JsonNode request) {
    int id = request.get("id").asInt();
    String op = request.path("op").asText();
    if (op.equals("send") || op.equals("connect") || op.equals("cancel")) {
      say(id, request, op);
      return;
    }
    Pending pending = new Pending();
    running.put(id, pending);
    threads.execute(() -> {
      pending.begin();
      say(id, request, op);
      pending.end();
      running.remove(id);
    });
  }

  /** A request that is at work, or soon will be. */
  private static final class Pending {
    private Thread thread;
    private boolean isCancelled;

    synchronized void begin() {
      thread = Thread.currentThread();
      if (isCancelled) thread.interrupt();
    }

    synchronized void cancel() {
      isCancelled = true;
      if (thread != null) thread.interrupt();
    }

    /** Its thread does other things from now on. */
    synchronized void end() {
      thread = null;
      Thread.interrupted();
    }
  }

  private void say(int id, JsonNode request, String op) {
    ObjectNode line = JsonNodeFactory.instance.objectNode().put("id", id);
    try {
      line.set("result", Results.of(answer(request, op)));
    } catch (MnemeException error) {
      line.set("error", Results.errorOf(error));
    } catch (Unsupported why) {
      line.put("unsupported", why.getMessage());
    } catch (Exception fault) {
      fault.printStackTrace();
      line.put("fault", fault.toString());
    }
    synchronized (out) {
      out.println(line);
    }
  }

  private Object answer(JsonNode request, String op) throws Exception {
    Arguments args = new Arguments(request.path("args").isObject() ? request.get("args") : JsonNodeFactory.instance.objectNode());
    String method = request.path("method").asText();
    switch (op) {
      case "connect" -> {
        Options options = optionsOf(new Arguments(request.path("options")));
        clients.put(request.get("client").asText(), Mneme.connect(request.get("address").asText(), options));
        return Map.of();
      }
      case "call" -> {
        return collected(call(request, method, args));
      }
      case "rpc" -> {
        return rpc(request);
      }
      case "open" -> {
        streams.put(request.get("stream").asText(), Streams.open(method, with(client(request), args), args));
        return Map.of();
      }
      case "next" -> {
        return stream(request, "stream").next(request.path("count").asInt(1));
      }
      case "send" -> {
        try {
          stream(request, "stream").send(request.get("item"));
        } catch (MnemeException.InvalidArgument error) {
          throw new Unsupported("a memory is refused when it is made: " + error.getMessage());
        }
        return Map.of();
      }
      case "end" -> {
        return stream(request, "stream").end();
      }
      case "cancel" -> {
        Pending pending = running.get(request.get("call").asInt());
        if (pending != null) pending.cancel();
        return Map.of();
      }
      case "close" -> {
        client(request).close();
        return Map.of();
      }
      default -> throw new IllegalArgumentException("no operation " + op);
    }
  }

  private Object call(JsonNode request, String method, Arguments args) {
    return CallTable.call(method, with(client(request), args), args);
  }

  private static Mneme with(Mneme client, Arguments args) {
    Mneme mneme = client;
    if (args.has("timeout_ms") && !args.has("hook")) mneme = mneme.withTimeout(args.duration("timeout_ms"));
    if (args.has("request_id")) mneme = mneme.withRequestId(args.text("request_id"));
    if (args.has("min_revision")) mneme = mneme.withMinRevision(args.at("min_revision").asLong());
    if (args.has("if_version")) mneme = mneme.ifVersion(args.at("if_version").asLong());
    if (args.has("traceparent")) mneme = mneme.withTrace(args.text("traceparent"), args.text("tracestate", null));
    return mneme;
  }

  /** Iterators are collected. */
  private static Object collected(Object result) {
    if (!(result instanceof EventStream<?> stream)) return result;
    try (stream) {
      return Results.of((Iterable<?>) stream);
    }
  }

  private Mneme client(JsonNode request) {
    Mneme client = clients.get(request.path("client").asText());
    if (client == null) throw new IllegalArgumentException("no client " + request.path("client"));
    return client;
  }

  private Streams stream(JsonNode request, String field) {
    Streams stream = streams.get(request.path(field).asText());
    if (stream == null) throw new IllegalArgumentException("no stream " + request.path(field));
    return stream;
  }

  private static Options optionsOf(Arguments a) {
    Options options = new Options();
    if (a.has("namespace")) options.namespace(a.text("namespace"));
    if (a.has("token")) options.token(a.text("token"));
    if (a.at("call_from").isTextual()) options.callFromEverywhere();
    else if (a.has("call_from")) options.callFrom(a.scope("call_from"));
    if (a.at("tls").asBoolean()) options.tls();
    if (a.at("tls").isObject()) {
      Arguments tls = new Arguments(a.at("tls"));
      options.tls(tls.text("ca", null), tls.text("cert", null), tls.text("key", null));
      if (tls.has("server_name")) options.serverName(tls.text("server_name"));
    }
    if (a.has("timeout_ms")) options.timeout(a.duration("timeout_ms"));
    if (a.has("recall_timeout_ms")) options.recallTimeout(a.duration("recall_timeout_ms"));
    if (a.has("wait_for_ready")) options.waitForReady(a.flag("wait_for_ready"));
    if (a.has("read_your_writes")) options.readYourWrites(a.flag("read_your_writes"));
    if (a.has("retry")) options.retry(a.flag("retry"));
    if (a.has("heartbeat_ms")) options.heartbeat(a.duration("heartbeat_ms"));
    return options;
  }

  private JsonNode rpc(JsonNode request) throws ReflectiveOperationException, InvalidProtocolBufferException {
    String[] name = request.get("rpc").asText().split("\\.");
    ServiceDescriptor service = (ServiceDescriptor) Class.forName("dev.mneme.v1." + name[0] + "Grpc").getMethod("getServiceDescriptor").invoke(null);
    for (MethodDescriptor<?, ?> method : service.getMethods()) {
      if (method.getBareMethodName().equals(name[1])) return raw(client(request), method, request.path("request"));
    }
    throw new IllegalArgumentException("no method " + request.get("rpc"));
  }

  @SuppressWarnings("unchecked")
  private static JsonNode raw(Mneme client, MethodDescriptor<?, ?> any, JsonNode request) throws InvalidProtocolBufferException {
    MethodDescriptor<Message, Message> method = (MethodDescriptor<Message, Message>) any;
    Message prototype = ((MethodDescriptor.PrototypeMarshaller<Message>) method.getRequestMarshaller()).getMessagePrototype();
    Message.Builder message = prototype.newBuilderForType();
    JsonFormat.parser().merge(request.isObject() ? request.toString() : "{}", message);
    return parse(JsonFormat.printer().print(client.raw(method, message.build())));
  }
}
