// Loaded before the service: its machine's clock is so many seconds off.
const offset = Number(process.env.FAULTS_CLOCK_SECONDS ?? 0) * 1000;
const Real = globalThis.Date;
globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + offset);
    else super(...given);
  }
  static now() {
    return Real.now() + offset;
  }
};
