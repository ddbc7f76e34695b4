package dev.mneme.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import javax.tools.DiagnosticCollector;
import javax.tools.DocumentationTool;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublicNamesTest {
  @TempDir
  Path pages;

  @Test
  void publicNamesAllHaveAComment() throws IOException {
    DocumentationTool javadoc = ToolProvider.getSystemDocumentationTool();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    List<String> options = List.of("-quiet", "-Xdoclint:missing", "-Xmaxwarns", "1000000", "-subpackages", "dev.mneme");
    try (StandardJavaFileManager files = javadoc.getStandardFileManager(null, null, null)) {
      files.setLocationFromPaths(StandardLocation.SOURCE_PATH, List.of(Path.of("src/main/java")));
      files.setLocationFromPaths(DocumentationTool.Location.DOCUMENTATION_OUTPUT, List.of(pages));
      assertTrue(javadoc.getTask(Writer.nullWriter(), files, found, null, options, null).call());
    }
    List<String> said = found.getDiagnostics().stream().map(each -> each.toString()).toList();

    // Javadoc has looked: it also misses @param and @return, whose place is taken by the sentence of the comment.
    assertTrue(said.stream().filter(each -> each.contains("no @")).count() > 100, said::toString);
    assertEquals(List.of(), said.stream().filter(each -> each.contains("no comment")).toList());
  }
}
