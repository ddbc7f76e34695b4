package dev.mneme.langchain4j;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Which elements of a list another list kept: their longest common subsequence. */
final class Alignment {
  private Alignment() {}

  /** For each element of {@code after} the index of the same element of {@code before}, ascending, or null where it is new. */
  static List<Integer> of(List<String> before, List<String> after) {
    int[][] common = new int[before.size() + 1][after.size() + 1]; // Length for what follows each pair of places.
    for (int i = before.size() - 1; i >= 0; i--) {
      for (int j = after.size() - 1; j >= 0; j--) {
        common[i][j] = before.get(i).equals(after.get(j)) ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    List<Integer> kept = new ArrayList<>(Collections.nCopies(after.size(), null));
    for (int i = 0, j = 0; i < before.size() && j < after.size(); ) {
      if (before.get(i).equals(after.get(j))) kept.set(j++, i++);
      else if (common[i + 1][j] >= common[i][j + 1]) i++;
      else j++;
    }
    return kept;
  }
}
