import { randomUUID } from 'node:crypto';
import { AgentMemoryAPI } from './agent-memory-api.ts';
import { isText } from './checks.ts';
import { MemoryConfig } from './config.ts';
import { type Hooking, hookedMethod, isHooked } from './driving.ts';
import { inherited } from './inherited.ts';
import { makeHashable } from './keys.ts';
import { Log } from './log.ts';
import type { FlushReport } from './memory-queue.ts';
import { ActionResult, AgentState, type Fields, isRecord, type Model } from './models.ts';
import { openApis } from './process-end.ts';
import { type Agent, isInside, Recorder } from './recorder.ts';
import { shown } from './shown.ts';

type Method = (this: Agent, ...args: unknown[]) => unknown;
/** A class of agents. */
export type AgentClass = abstract new (...args: never[]) => object;

const METHODS = ['act', 'getState'] as const;
const FLUSH_TIMEOUT_MS = 10_000;

/** Where the memories of agents go. */
export interface HookOptions {
  /** Default: that of the agent's `config.memoryConfig`, or that of `setDefaultApi`. */
  readonly api?: AgentMemoryAPI;
}

interface Binding {
  readonly api: AgentMemoryAPI | undefined;
  readonly agentId: string | undefined;
  recorder?: Recorder;
  isOff?: boolean;
}

const bindings = new WeakMap<object, Binding>();
/** APIs of decorated classes, by prototype. */
const classApis = new WeakMap<object, AgentMemoryAPI>();
/** APIs of configurations of agents. */
const configured = new Map<string, AgentMemoryAPI>();
const log = new Log();
let defaultApi: AgentMemoryAPI | undefined;

/** Sets the API for agents that have none of their own, from now on. `undefined`: one with the default configuration. */
export function setDefaultApi(api: AgentMemoryAPI | undefined): void {
  defaultApi = api;
}

/** Waits until the memories of all agents of the process are stored, at most `timeoutMs`. */
export function flushMemoryHooks(timeoutMs = FLUSH_TIMEOUT_MS): Promise<FlushReport[]> {
  return Promise.all(openApis().map(({ queue }) => queue.flush(timeoutMs)));
}

/** Stores an interaction of an agent with hooks, at its current step. Neither waits nor throws. */
export function recordInteraction(agent: object, interactionData: Readonly<Fields> | Model, priority = 1): void {
  const isBound = bindings.has(agent) || isHooked((agent as Fields)['act']);
  if (isBound) recorderAt(agent)?.interaction(agent, interactionData, priority);
}

/** An agent with an id, a step and a state. */
export class BaseAgent {
  config: unknown;
  agentId: string;
  /** Counts actions: hooks advance it after an action that left it as it was. */
  stepNumber = 0;

  constructor(config?: unknown, agentId?: string) {
    this.config = config;
    this.agentId = agentId || `agent-${randomUUID()}`;
  }

  /** Acts. Default: waits. */
  act(_observation?: unknown): unknown {
    return new ActionResult({ action_type: 'wait' });
  }

  /** The state that is recorded. Fields of one's own go into its `extra_data`. */
  getState(): AgentState {
    return new AgentState({ agent_id: this.agentId, step_number: this.stepNumber });
  }

  /** Stores an interaction at the current step, where the agent has hooks. */
  recordInteraction(interactionData: Readonly<Fields> | Model, priority = 1): void {
    recordInteraction(this, interactionData, priority);
  }
}

const hooking: Hooking = {
  recorderOf: (agent) => (isInside(agent) ? undefined : recorderAt(agent)),
  finish(agent, stepBefore) {
    // Of an agent that is frozen the step stays: an assignment would throw after the action.
    if (agent instanceof BaseAgent && agent.stepNumber === stepBefore)
      Reflect.set(agent, 'stepNumber', agent.stepNumber + 1);
  },
};

/**
 * Class decorator: instances of the class, and of its subclasses, get a memory. As a decorator of TypeScript and of
 * ECMAScript, with or without options, or as a function:
 *
 * ```ts
 * @installMemoryHooks
 * class MyAgent extends BaseAgent { ... }
 *
 * const Remembering = installMemoryHooks({ api })(MyAgent);
 * ```
 *
 * The result is a subclass of the class, with its name; the class itself stays as it is. Decorating again changes
 * nothing. Of `act` as an attribute of the instance, such as an arrow function, that of the decorated class has hooks,
 * that of a subclass has none.
 */
export function installMemoryHooks<Class extends AgentClass>(decorated: Class, context?: ClassDecoratorContext): Class;
export function installMemoryHooks(
  options: HookOptions,
): <Class extends AgentClass>(decorated: Class, context?: ClassDecoratorContext) => Class;
export function installMemoryHooks(given: unknown): unknown {
  if (typeof given === 'function') return install(given as AgentClass, undefined);
  if (!isRecord(given))
    throw new TypeError(
      `installMemoryHooks: must decorate a class, got ${shown(given)}; use withMemory for an instance`,
    );
  const api = checkedApi(given['api']);
  return (decorated: AgentClass) => install(decorated, api);
}

function install(decorated: AgentClass, api: AgentMemoryAPI | undefined): AgentClass {
  const prototype = decorated.prototype as Fields | undefined;
  if (prototype === undefined) throw new TypeError(`installMemoryHooks: ${decorated.name} is no class`);
  if (isHooked(prototype['act'])) {
    if (api) classApis.set(prototype, api);
    return decorated;
  }
  const Base = decorated as unknown as new (...args: unknown[]) => object;
  const Hooked = class extends Base {
    constructor(...args: unknown[]) {
      // Subclasses that were defined later.
      hookPrototypes(new.target.prototype, Hooked.prototype);
      super(...args);
      hookOwn(this);
    }
  };
  Object.defineProperty(Hooked, 'name', { value: decorated.name, configurable: true });
  if (api) classApis.set(Hooked.prototype, api);
  for (const name of METHODS) hookMethod(Hooked.prototype, name, prototype[name]);
  return Hooked;
}

function hookMethod(target: object, name: (typeof METHODS)[number], method: unknown): void {
  if (typeof method !== 'function' || isHooked(method)) return;
  const value = hookedMethod(method as Method, name, hooking);
  const isEnumerable = Object.getOwnPropertyDescriptor(target, name)?.enumerable ?? false;
  Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: isEnumerable });
}

function hookPrototypes(from: object, to: object): void {
  for (let at: object | null = from; at !== null && at !== to; at = Reflect.getPrototypeOf(at)) hookOwn(at);
}

function hookOwn(target: object): void {
  for (const name of METHODS) hookMethod(target, name, Object.getOwnPropertyDescriptor(target, name)?.value as unknown);
}

/**
 * Gives an instance a memory, and returns it: the same object, whose methods `act` and `getState` are recorded.
 *
 * `agentId`: default that of the agent or of its state. A copy has no hooks.
 */
export function withMemory<Instance extends object>(
  agent: Instance,
  agentId?: string,
  options: HookOptions = {},
): Instance {
  const api = checkedApi(options.api);
  if (agentId !== undefined && !isText(agentId))
    throw new TypeError(`agentId: must be a text that is not empty, got ${shown(agentId)}`);
  const methods = agent as Fields | undefined;
  if (typeof agent !== 'object' || typeof methods?.['act'] !== 'function')
    throw new TypeError(`withMemory: ${shown(agent)} has no method act`);
  try {
    for (const name of METHODS) hookMethod(agent, name, methods[name]);
  } catch (error) {
    throw new TypeError(`withMemory: the methods of the agent cannot be replaced: ${String(error)}`);
  }
  bindings.set(agent, { api, agentId });
  return agent;
}

function checkedApi(api: unknown): AgentMemoryAPI | undefined {
  if (api === undefined || api instanceof AgentMemoryAPI) return api;
  throw new TypeError(`api: must be an AgentMemoryAPI, got ${shown(api)}`);
}

function recorderAt(agent: object): Recorder | undefined {
  let binding = bindings.get(agent);
  if (binding === undefined) {
    binding = { api: undefined, agentId: undefined };
    bindings.set(agent, binding);
  }
  if (binding.recorder === undefined && !binding.isOff) start(agent, binding);
  return binding.recorder;
}

function start(agent: Agent & { readonly agentId?: unknown; readonly config?: unknown }, binding: Binding): void {
  try {
    const api = binding.api ?? apiOf(agent);
    binding.isOff = !api.config.enableMemoryHooks;
    if (binding.isOff) return;
    const named = binding.agentId ?? (isText(agent.agentId) ? agent.agentId : undefined);
    const agentId = named ?? `${agent.constructor.name}-${randomUUID()}`;
    binding.recorder = new Recorder(api.queue, api.engine, agentId, named !== undefined);
  } catch (error) {
    // An agent without a memory acts all the same.
    binding.isOff = true;
    log.write('ERROR', `agent ${agent.constructor?.name} has no memory`, error);
  }
}

/** That of the class, of the agent's configuration, or the default one. */
function apiOf(agent: { readonly config?: unknown }): AgentMemoryAPI {
  const own = inherited(classApis, agent);
  if (own) return own;
  const given = isRecord(agent.config) ? agent.config['memoryConfig'] : undefined;
  if (given === undefined || given === null) {
    if (defaultApi === undefined || defaultApi.isClosed) defaultApi = new AgentMemoryAPI();
    return defaultApi;
  }
  const wanted = given instanceof MemoryConfig ? given : new MemoryConfig(given);
  const key = makeHashable(wanted.asDict());
  const known = configured.get(key);
  if (known && !known.isClosed) return known;
  const made = new AgentMemoryAPI(wanted);
  configured.set(key, made);
  return made;
}
