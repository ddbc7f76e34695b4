package dev.mneme.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mneme.langchain4j.example.Example;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example and the ten lines of the README run. */
class DocumentsTest {
  @Test
  void the_example_answers_from_documents_and_remembers() {
    PrintStream usual = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      Example.main(new String[] {Servers.address()});
    } finally {
      System.setOut(usual);
    }
    assertThat(said.toString(StandardCharsets.UTF_8).lines())
        .containsExactly("1: The museum is closed on Mondays.", "3: The ferry leaves at nine.");
  }

  @Test
  void the_ten_lines_print_the_segment(@TempDir Path folder) throws IOException, InterruptedException {
    Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of("README.md")));
    assertThat(block.find()).isTrue();
    Files.writeString(folder.resolve("First.java"), block.group(1).replace("127.0.0.1:50051", Servers.address()));
    Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
        System.getProperty("java.class.path"), "First.java").directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said).isEqualTo("1.0 The museum is closed on Mondays.\n");
  }
}
