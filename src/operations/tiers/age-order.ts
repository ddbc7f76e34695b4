import type { MembersRead, TierMember, TierStore } from '../../storage/tier-store.ts';

const READ_AT_ONCE = 500;

/** The members of a tier from the one that is longest in it on, each read once, some at a time. */
export class AgeOrder {
  private readonly tiers: Pick<TierStore, 'members'>;
  private readonly read: Omit<MembersRead, 'limit' | 'after'>;
  /** Those that are to come to the tier and would be last in it. */
  private readonly arriving: readonly TierMember[];
  private members: TierMember[] = [];
  private last: TierMember | undefined;
  private isAtEnd = false;

  constructor(
    tiers: Pick<TierStore, 'members'>,
    read: Omit<MembersRead, 'limit' | 'after'>,
    arriving: readonly TierMember[] = [],
  ) {
    this.tiers = tiers;
    this.read = read;
    this.arriving = arriving;
  }

  /** The next ones that are not `gone`: `count`, or as many as there are. They stay the next ones until they are gone. */
  async next(count: number, gone: { has(id: string): boolean }): Promise<readonly TierMember[]> {
    this.members = this.members.filter(({ id }) => !gone.has(id));
    while (this.members.length < count && !this.isAtEnd) {
      const found = await this.readOn();
      for (const member of found) if (!gone.has(member.id)) this.members.push(member);
    }
    return this.members.slice(0, count);
  }

  private async readOn(): Promise<readonly TierMember[]> {
    const after = this.last;
    const found = await this.tiers.members({ ...this.read, limit: READ_AT_ONCE, ...(after && { after }) });
    this.last = found.at(-1) ?? after;
    if (found.length === READ_AT_ONCE) return found;
    this.isAtEnd = true;
    return [...found, ...this.arriving.filter((member) => this.isMeant(member))];
  }

  private isMeant({ tier, agent, type, tierSinceUs }: TierMember): boolean {
    const { read } = this;
    if (tier !== read.tier) return false;
    if (read.untilUs !== undefined && tierSinceUs > read.untilUs) return false;
    return (read.agent ?? agent) === agent && (read.type ?? type) === type;
  }
}
