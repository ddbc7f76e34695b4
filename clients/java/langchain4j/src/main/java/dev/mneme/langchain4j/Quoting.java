package dev.mneme.langchain4j;

import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Remembered text as quoted data, as the server writes contexts: it cannot end its entry, open another one, imitate a role or a fence of
 * code, or hold characters that are not seen.
 */
final class Quoting {
  private static final int ATTRIBUTE_LENGTH = 64;
  private static final Pattern LINE_ENDS = Pattern.compile("\r\n|[\r\u000b\f\u0085\u2028\u2029]");
  /** Format characters, controls, lone surrogates, fillers, and variation selectors except those of emoji. */
  private static final Pattern UNSEEN = Pattern.compile("[\\p{Cf}\\p{Cs}\\p{Cc}\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5"
      + "\u180b-\u180d\u180f\\x{e0100}-\\x{e01ef}&&[^\n\t]]");
  private static final Pattern ANGLES_OPENING = Pattern.compile("[\uff1c\ufe64]");
  private static final Pattern ANGLES_CLOSING = Pattern.compile("[\uff1e\ufe65]");
  // Each pattern takes time in proportion to the text, whatever the text is, and no stack.
  /** Word of a role with the colon that makes it one, at the beginning of a line. */
  private static final Pattern ROLE = pattern("^([\\s>*_#|\\-&&[^\n]]*+(?:system|user|assistant|human|ai|bot|tool|function|developer"
      + "|model|instructions?)[\\s*_]*+)([:\uff1a])");
  private static final Pattern FENCE = pattern("(`{3,}|~{3,})");
  private static final String TURN_WORD = "(?:inst|sys|system|system_prompt|user|assistant|available_tools)";
  /** Marks of turns in the templates of chat models: {@code [INST]}, {@code [/INST]}, {@code [TOOL_CALLS]}. */
  private static final Pattern TURN = pattern("()(\\[)(?=\\s*+(?:/\\s*+)?(?:[a-z_]++\\s++(?:" + TURN_WORD + "|tool\\w*+)|[a-z_]*"
      + TURN_WORD + "|(?:(?!tool)[a-z_])*+tool\\w*+)\\s*+\\])");
  /** Headings, by which instructions are set off: {@code ### Instruction}. */
  private static final Pattern HEADING = pattern("^([\\s>&&[^\n]]*+)(#)(?=#*+\\s*+\\S)");
  private static final Pattern SPACES = pattern("\\s+");

  private Quoting() {}

  /** An entry of a context; attributes without a value are left out. */
  static String xmlEntry(String text, Map<String, String> attributes) {
    StringBuilder entry = new StringBuilder("<entry");
    attributes.forEach((name, value) -> {
      if (!value.isEmpty()) entry.append(' ').append(name).append("=\"").append(xmlAttribute(value)).append('"');
    });
    return entry.append('>').append(xmlText(text)).append("</entry>").toString();
  }

  /** Text of an XML element. */
  static String xmlText(String text) {
    String marked = seen(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    marked = ROLE.matcher(marked).replaceAll(Quoting::secondAsEntity);
    marked = FENCE.matcher(marked).replaceAll(found -> entity(found.group()).repeat(found.group().length()));
    marked = TURN.matcher(marked).replaceAll(Quoting::secondAsEntity);
    return HEADING.matcher(marked).replaceAll(Quoting::secondAsEntity);
  }

  /** Value of an XML attribute: one line of at most 64 characters. */
  private static String xmlAttribute(String text) {
    String line = SPACES.matcher(seen(text)).replaceAll(" ");
    boolean isLong = line.codePointCount(0, line.length()) > ATTRIBUTE_LENGTH;
    String cut = isLong ? line.substring(0, line.offsetByCodePoints(0, ATTRIBUTE_LENGTH - 1)) + "…" : line;
    return xmlText(cut).replace("\"", "&quot;").replace("'", "&#39;");
  }

  private static String seen(String text) {
    String lines = UNSEEN.matcher(LINE_ENDS.matcher(text).replaceAll("\n")).replaceAll("");
    String angles = ANGLES_CLOSING.matcher(ANGLES_OPENING.matcher(lines).replaceAll("<")).replaceAll(">");
    int start = 0;
    int end = angles.length();
    while (start < end && isSpace(angles.charAt(start))) start++;
    while (end > start && isSpace(angles.charAt(end - 1))) end--;
    return angles.substring(start, end);
  }

  /** Whether a character is a space of any script, such as one that does not break, which {@code String.strip} leaves. */
  private static boolean isSpace(char each) {
    return Character.isWhitespace(each) || Character.isSpaceChar(each);
  }

  /** What was found, its second group as an entity. Neither group has characters that are special in a replacement. */
  private static String secondAsEntity(MatchResult found) {
    return found.group(1) + entity(found.group(2));
  }

  private static String entity(String character) {
    return "&#" + character.codePointAt(0) + ";";
  }

  /** A pattern with {@code ^} behind each line feed, and letters and spaces of all scripts. */
  private static Pattern pattern(String regex) {
    return Pattern.compile(regex, Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE | Pattern.MULTILINE | Pattern.UNIX_LINES
        | Pattern.UNICODE_CHARACTER_CLASS);
  }
}
