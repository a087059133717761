// What a process remembers of rows, as long as the epoch of these rows stays the same.

export class EpochCache<Value> {
  readonly #most: number;
  #epoch = -1;
  #values = new Map<string, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined: not known at this epoch. */
  get(key: string, epoch: number): Value | undefined {
    return epoch === this.#epoch ? this.#values.get(key) : undefined;
  }

  /** `epoch`: of before the value was read. A value of an older epoch than others is not kept. */
  set(key: string, value: Value, epoch: number): void {
    if (epoch < this.#epoch) return;
    if (epoch > this.#epoch || this.#values.size >= this.#most) this.#values = new Map();
    this.#epoch = epoch;
    this.#values.set(key, value);
  }
}
