package dev.mneme.langchain4j;

import dev.mneme.client.Filter;
import dev.mneme.client.Scope;
import dev.mneme.client.Where;
import java.util.ArrayList;
import java.util.List;

/** Scopes as filters. */
final class Scopes {
  private Scopes() {}

  /** Memories of a type and, where it is not null, of a scope: parts of the scope that are set must be equal. */
  static Filter filter(Scope scope, String type) {
    List<Filter> parts = new ArrayList<>(List.of(Where.TYPE.equalTo(type)));
    if (scope != null) {
      if (scope.project() != null) parts.add(Where.PROJECT.equalTo(scope.project()));
      if (scope.agentType() != null) parts.add(Where.AGENT_TYPE.equalTo(scope.agentType()));
      if (scope.agent() != null) parts.add(Where.AGENT.equalTo(scope.agent()));
      if (scope.session() != null) parts.add(Where.SESSION.equalTo(scope.session()));
    }
    return Filter.allOf(parts.toArray(Filter[]::new));
  }
}
