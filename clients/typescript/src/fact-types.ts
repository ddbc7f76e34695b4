import type { Scope } from './memory.ts';
import type { TimeLike } from './precise-date.ts';
import type { TrustLevel } from './trust.ts';

/** A fact to be asserted. */
export interface NewFact {
  /** Subject of the fact, such as `user`, for the user, or a name. 1 to 256 bytes. */
  readonly subject: string;
  /** Attribute of the subject, such as `home_city` or `likes`. 1 to 128 bytes. */
  readonly attribute: string;
  /** 1 to 4,096 bytes. Required unless the fact is retracted. */
  readonly value?: string;
  /** Owner of the fact. Facts of different scopes do not supersede each other. Default: the whole namespace. */
  readonly scope?: Scope;
  /** A sentence that states the fact. Default: made of subject, attribute and value. */
  readonly text?: string;
  /** 0 to 1. Default 1. */
  readonly confidence?: number;
  /** Names of messages or memories, or URIs of documents, that state the fact; at most 64. */
  readonly sources?: readonly string[];
  /** Instant from which the fact holds. Default: now. */
  readonly validFrom?: TimeLike;
  /** Instant from which the fact no longer holds. Default: not known. */
  readonly validUntil?: TimeLike;
}

export interface AssertFactQuery {
  /** Ends the other values of an attribute that has several values at a time. Default false. */
  readonly replaces?: boolean;
  /** States that the value no longer holds from `validFrom` on; without a value, that no value does. Default false. */
  readonly retracts?: boolean;
}

/** A fact that is stored. */
export interface Fact {
  /** Resource name of its memory. */
  readonly name: string;
  /** Id of its memory. */
  readonly id: string;
  readonly scope: Scope;
  readonly subject: string;
  /** In lower case, with words joined by `_`. */
  readonly attribute: string;
  readonly value: string;
  readonly text: string;
  /** With decay since the fact was last asserted. */
  readonly confidence: number;
  /** Number of times that the fact was repeated by other sources. */
  readonly reinforcementCount: number;
  readonly sources: readonly string[];
  readonly trust: TrustLevel;
  readonly validFrom: Date;
  /** Absent while no end is known. */
  readonly validUntil?: Date;
  /** Id of the memory of the fact that superseded it. */
  readonly supersededBy?: string;
  /** When the server learned of the fact. */
  readonly recordTime: Date;
  /** When the fact was last asserted. */
  readonly assertTime: Date;
  readonly version: number;
}

export interface AssertFactResult {
  /** The fact as it is known now; of a retraction, the first fact that it ended. Absent when there is none. */
  readonly fact?: Fact;
  readonly outcome: 'created' | 'reinforced' | 'retracted' | 'ignored' | 'other';
  /** Ids of the memories of facts that the assertion ended. */
  readonly supersededIds: readonly string[];
  readonly revision: number;
}

/** Facts by owner, subject and attribute; what is absent matches any. */
export interface ListFactsQuery {
  readonly scope?: Scope;
  readonly subject?: string;
  readonly attribute?: string;
  /** The facts that held at this instant. Default: now. */
  readonly asOf?: TimeLike;
  /** Facts as they were known at this instant. Default: as they are known now. */
  readonly asOfRecorded?: TimeLike;
  /** Also facts that do not hold at the instant. Default false. */
  readonly includeSuperseded?: boolean;
  /** Maximum number of facts per page, 1 to 1,000. */
  readonly pageSize?: number;
}

/** The recorded state of a fact from an instant on. */
export interface FactState {
  readonly recordTime: Date;
  readonly validFrom: Date;
  readonly validUntil?: Date;
  /** Id of the memory of the fact that superseded it. */
  readonly supersededBy?: string;
}

/** Every fact that one attribute of one subject had. */
export interface FactHistory {
  /** By `validFrom`, at most 1,000. */
  readonly facts: readonly {
    readonly fact: Fact;
    /** When it was known to hold, oldest first: the first state and the 31 most recent ones. */
    readonly states: readonly FactState[];
    /** True when `undoSupersession` took the fact back. */
    readonly withdrawn: boolean;
  }[];
  /** Number of facts that were forgotten. */
  readonly forgottenCount: number;
  /** True when the attribute has one value at a time. */
  readonly singleValued: boolean;
}

export interface UndoSupersessionResult {
  /** The fact, which holds again. */
  readonly fact: Fact;
  /** Id of the memory of the fact that was taken back. */
  readonly withdrawnId?: string;
  readonly revision: number;
}

/** Facts by their ids, or by scope, subject, attribute and value, of which at least one is required. */
export interface ForgetFactsQuery {
  /** At most 100. */
  readonly ids?: readonly string[];
  readonly scope?: Scope;
  readonly subject?: string;
  readonly attribute?: string;
  readonly value?: string;
  /** Counts the facts without erasing them. Default false. */
  readonly dryRun?: boolean;
}

export interface ForgetFactsResult {
  readonly forgottenCount: number;
  /** Ids of the memories of the first 1,000 facts. */
  readonly ids: readonly string[];
  readonly revision: number;
}
