// Measures the time from an empty database to a user token. Printed, never asserted.
export function stopwatch(what: string) {
  const from = performance.now();
  const marks: string[] = [];
  return {
    mark(name: string): void {
      marks.push(`${name} after ${((performance.now() - from) / 1_000).toFixed(1)} s`);
    },
    tell(): void {
      console.log(`${what}: ${marks.join(', ')}`);
    },
  };
}
