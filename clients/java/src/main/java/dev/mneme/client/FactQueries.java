package dev.mneme.client;

import dev.mneme.v1.ForgetFactsRequest;
import dev.mneme.v1.ListFactsRequest;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** Options of the calls of {@link Facts}. */
public final class FactQueries {
  private FactQueries() {}

  /** Which facts are listed. */
  public static final class ListQuery extends Query<ListQuery, ListFactsRequest.Builder> {
    /** All that hold now. */
    public ListQuery() { super(ListFactsRequest.newBuilder()); }

    /** Owner; parts that are null match any. Default: any. */
    public ListQuery scope(Scope scope) { message.setScope(scope.message()); return this; }

    /** Subject. With a scope, the user is found by name too. Default: any. */
    public ListQuery subject(String subject) { message.setSubject(subject); return this; }

    /** Attribute. Default: any. */
    public ListQuery attribute(String attribute) { message.setAttribute(attribute); return this; }

    /** Facts that held at this instant. Default: that of {@link #asOfRecorded}, otherwise now. */
    public ListQuery asOf(Instant time) { message.setAsOf(Values.timestamp(time)); return this; }

    /** Facts as they were known at this instant. Default: as they are known now. */
    public ListQuery asOfRecorded(Instant time) { message.setAsOfRecorded(Values.timestamp(time)); return this; }

    /** Also facts that do not hold at the instant. Default false. */
    public ListQuery includeSuperseded(boolean include) { message.setIncludeSuperseded(include); return this; }

    /** Maximum number of facts that are read at a time, 1 to 1,000. Default 200. */
    public ListQuery pageSize(int size) { message.setPageSize(size); return this; }
  }

  /** Selects facts to erase: by ids, or by the other fields, of which at least one is required. */
  public static final class ForgetQuery extends Query<ForgetQuery, ForgetFactsRequest.Builder> {
    Collection<String> ids = List.of();

    /** None yet. */
    public ForgetQuery() { super(ForgetFactsRequest.newBuilder()); }

    /** Ids of the memories of facts, at most 100. */
    public ForgetQuery ids(Collection<String> ids) { this.ids = List.copyOf(ids); return this; }

    /** Owner; parts that are null match any. */
    public ForgetQuery scope(Scope scope) { message.setScope(scope.message()); return this; }

    /** Subject. With a scope, the user is found by name too. */
    public ForgetQuery subject(String subject) { message.setSubject(subject); return this; }

    /** Attribute. */
    public ForgetQuery attribute(String attribute) { message.setAttribute(attribute); return this; }

    /** Value. */
    public ForgetQuery value(String value) { message.setValue(value); return this; }

    /** Only counts. Default false. */
    public ForgetQuery dryRun(boolean dryRun) { message.setDryRun(dryRun); return this; }
  }
}
