package dev.mneme.langchain4j;

import dev.langchain4j.store.embedding.filter.Filter;
import dev.langchain4j.store.embedding.filter.comparison.ContainsString;
import dev.langchain4j.store.embedding.filter.comparison.IsEqualTo;
import dev.langchain4j.store.embedding.filter.comparison.IsGreaterThan;
import dev.langchain4j.store.embedding.filter.comparison.IsGreaterThanOrEqualTo;
import dev.langchain4j.store.embedding.filter.comparison.IsIn;
import dev.langchain4j.store.embedding.filter.comparison.IsLessThan;
import dev.langchain4j.store.embedding.filter.comparison.IsLessThanOrEqualTo;
import dev.langchain4j.store.embedding.filter.comparison.IsNotEqualTo;
import dev.langchain4j.store.embedding.filter.comparison.IsNotIn;
import dev.langchain4j.store.embedding.filter.logical.And;
import dev.langchain4j.store.embedding.filter.logical.Not;
import dev.langchain4j.store.embedding.filter.logical.Or;
import dev.mneme.client.Where;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;

/** Filters of LangChain4j as filters of Mneme on the metadata that {@link Segments} writes. */
final class Filters {
  private Filters() {}

  static dev.mneme.client.Filter of(Filter filter) {
    if (filter instanceof And) return dev.mneme.client.Filter.allOf(operands(filter, And.class, new ArrayList<>()));
    if (filter instanceof Or) return dev.mneme.client.Filter.anyOf(operands(filter, Or.class, new ArrayList<>()));
    if (filter instanceof Not not) return of(not.expression()).negate();
    if (filter instanceof IsEqualTo is) return equal(is.key(), is.comparisonValue());
    if (filter instanceof IsNotEqualTo is) return equal(is.key(), is.comparisonValue()).negate();
    if (filter instanceof IsIn is) return in(is.key(), is.comparisonValues());
    if (filter instanceof IsNotIn is) return in(is.key(), is.comparisonValues()).negate();
    if (filter instanceof IsGreaterThan is) return ordered(is.key(), is.comparisonValue(), Where.ContentField::greater);
    if (filter instanceof IsGreaterThanOrEqualTo is) return ordered(is.key(), is.comparisonValue(), Where.ContentField::greaterOrEqual);
    if (filter instanceof IsLessThan is) return ordered(is.key(), is.comparisonValue(), Where.ContentField::less);
    if (filter instanceof IsLessThanOrEqualTo is) return ordered(is.key(), is.comparisonValue(), Where.ContentField::lessOrEqual);
    if (filter instanceof ContainsString is) return Segments.path(Segments.METADATA, is.key()).contains(is.comparisonValue());
    throw new UnsupportedOperationException(
        "filter: " + (filter == null ? "must not be null" : "Mneme has no equivalent of " + filter.getClass().getName()));
  }

  /** The operands of nested conjunctions (or disjunctions) as one list: {@code a.and(b).and(c)} is one level, not two. */
  private static dev.mneme.client.Filter[] operands(Filter filter, Class<? extends Filter> kind, List<dev.mneme.client.Filter> into) {
    for (Filter each : filter instanceof And and ? List.of(and.left(), and.right()) : List.of(((Or) filter).left(), ((Or) filter).right())) {
      if (kind.isInstance(each)) operands(each, kind, into);
      else into.add(of(each));
    }
    return into.toArray(dev.mneme.client.Filter[]::new);
  }

  private static dev.mneme.client.Filter equal(String key, Object value) {
    return Segments.beyondDouble(value) ? exactly(key).equalTo(Segments.sortable((Long) value))
        : Segments.path(Segments.METADATA, key).equalTo(comparable(key, value));
  }

  private static dev.mneme.client.Filter in(String key, Collection<?> values) {
    List<Object> usual = new ArrayList<>();
    List<Object> large = new ArrayList<>();
    for (Object each : values) {
      if (Segments.beyondDouble(each)) large.add(Segments.sortable((Long) each));
      else usual.add(comparable(key, each));
    }
    if (large.isEmpty()) return Segments.path(Segments.METADATA, key).isIn(usual);
    if (usual.isEmpty()) return exactly(key).isIn(large);
    return Segments.path(Segments.METADATA, key).isIn(usual).or(exactly(key).isIn(large));
  }

  private static dev.mneme.client.Filter ordered(
      String key, Object value, BiFunction<Where.ContentField, Object, dev.mneme.client.Filter> operator) {
    dev.mneme.client.Filter numeric = operator.apply(Segments.path(Segments.METADATA, key), comparable(key, value));
    if (!Segments.beyondDouble(value)) return numeric;
    return numeric.and(exactly(key).exists().negate()).or(operator.apply(exactly(key), Segments.sortable((Long) value)));
  }

  private static Where.ContentField exactly(String key) {
    return Segments.path(Segments.EXACT, key);
  }

  /** Numbers by their decimal digits, as LangChain4j compares them: 1.23f is 1.23. */
  private static Object comparable(String key, Object value) {
    if (value instanceof BigInteger || value instanceof BigDecimal) return value;
    if (value instanceof Number number) return Double.valueOf(number.toString());
    if (value instanceof UUID uuid) return uuid.toString();
    if (value instanceof String) return value;
    throw new IllegalArgumentException("filter: the value of key \"" + key + "\" must be a text, a number or a UUID, got "
        + (value == null ? "null" : value.getClass().getName()));
  }
}
