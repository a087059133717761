// Where a piece of work is worth a span. Nothing happens until the telemetry room puts a tracer here, which it does only
// when OpenTelemetry's own variables ask for it.

export type SpanKind = 'server' | 'client';
export type SetAttribute = (name: string, value: string | number) => void;
type Headers = Readonly<Record<string, string | undefined>>;
export type Trace = <T>(
  span: { name: string; kind: SpanKind; parent?: Headers },
  work: (set: SetAttribute) => Promise<T>,
) => Promise<T>;

const SLOT = Symbol.for('gatehouse.trace');
const slot = globalThis as unknown as { [SLOT]?: Trace };
const nothing: SetAttribute = () => {};

export function setTrace(trace: Trace): void {
  slot[SLOT] = trace;
}

export function traced<T>(
  name: string,
  kind: SpanKind,
  work: (set: SetAttribute) => Promise<T>,
  parent?: Headers,
): Promise<T> {
  const trace = slot[SLOT];
  return trace ? trace({ name, kind, ...(parent ? { parent } : {}) }, work) : work(nothing);
}
