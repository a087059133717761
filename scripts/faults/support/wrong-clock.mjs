// Node loads this module before the service. It shifts the clock of the process by this number of seconds.
const offset = Number(process.env.FAULTS_CLOCK_SECONDS ?? 0) * 1000;

globalThis.Date = new Proxy(globalThis.Date, {
  construct: (Real, given, target) =>
    Reflect.construct(Real, given.length === 0 ? [Real.now() + offset] : given, target),
  // `Date` called without `new` returns text
  apply: (Real) => new Real(Real.now() + offset).toString(),
  get: (Real, name) => (name === 'now' ? () => Real.now() + offset : Reflect.get(Real, name)),
});
