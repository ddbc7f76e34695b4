package dev.mneme.client;

/**
 * Owner of the memory inside its namespace, from the widest to the narrowest. Null parts are not specified.
 *
 * @param project project
 * @param agentType type of the agent
 * @param agent the agent
 * @param session one conversation or run; memories of one session are neighbours of one another in recall
 */
public record Scope(
    @From(optional = true) String project,
    @From(optional = true) String agentType,
    @From(optional = true) String agent,
    @From(optional = true) String session) {
  /** Nothing is said. */
  public static final Scope NONE = new Scope(null, null, null, null);

  /** The scope of a project. */
  public static Scope ofProject(String project) {
    return new Scope(project, null, null, null);
  }

  /** The scope of an agent, whatever its project. */
  public static Scope ofAgent(String agent) {
    return new Scope(null, null, agent, null);
  }

  /** The scope of a session, whatever its agent. */
  public static Scope ofSession(String session) {
    return new Scope(null, null, null, session);
  }

  /** The same in another project. */
  public Scope withProject(String other) {
    return new Scope(other, agentType, agent, session);
  }

  /** The same of another type of agent. */
  public Scope withAgentType(String other) {
    return new Scope(project, other, agent, session);
  }

  /** The same of another agent. */
  public Scope withAgent(String other) {
    return new Scope(project, agentType, other, session);
  }

  /** The same of another session. */
  public Scope withSession(String other) {
    return new Scope(project, agentType, agent, other);
  }

  dev.mneme.v1.Scope message() {
    dev.mneme.v1.Scope.Builder message = dev.mneme.v1.Scope.newBuilder();
    if (project != null) message.setProject(project);
    if (agentType != null) message.setAgentType(agentType);
    if (agent != null) message.setAgent(agent);
    if (session != null) message.setSession(session);
    return message.build();
  }
}
