// Checklist of upgrade guarantees with results.
export type Check = { name: string; fault: string | null };

export class Checks {
  readonly all: Check[] = [];

  /** Adds a result. `fault`: null if the guarantee holds. */
  add(name: string, fault: string | null): void {
    this.all.push({ name, fault });
    if (fault !== null) process.stdout.write(`✗ ${name}: ${fault}\n`);
  }

  async hold(name: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
      this.add(name, null);
    } catch (error) {
      this.add(name, (error as Error).message);
    }
  }

  get failed(): Check[] {
    return this.all.filter(({ fault }) => fault !== null);
  }
}
