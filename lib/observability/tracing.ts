// OpenTelemetry traces over OTLP, if the environment variables for them are set. Otherwise no library is loaded. A
// span contains the pattern of the path and the status. It never contains a query, a path with a code, a header or a
// body.
import type { Attributes, Span, Tracer } from '@opentelemetry/api';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process.ts';
import { environment } from '#lib/settings/environment.ts';

type Tracing = { tracer: Tracer; parentOf: (traceparent: string | undefined) => Parent };
type Parent = Parameters<Tracer['startSpan']>[2];

const slot = processWide<Tracing>('tracing');

function isAskedFor(): boolean {
  const env = environment();
  if (env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') return false;
  return Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}

/**
 * Starts tracing if environment variables request it. Returns a function that sends the last spans and stops tracing.
 */
export async function startTracing(): Promise<() => Promise<void>> {
  if (slot.value || !isAskedFor()) return async () => {};
  const [{ defaultTextMapGetter, ROOT_CONTEXT }, core, sdk, resources, { OTLPTraceExporter }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/core'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
  // not registered globally, because Next would then add spans with queries and full paths
  const resource = resources.resourceFromAttributes({ 'service.name': 'gatehouse' });
  const tracers = new sdk.TracerProvider({
    resource: resource.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const propagator = new core.W3CTraceContextPropagator();
  slot.value = {
    tracer: tracers.getTracer('gatehouse'),
    parentOf: (traceparent) =>
      traceparent === undefined
        ? ROOT_CONTEXT
        : propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter),
  };
  return async () => {
    slot.value = undefined;
    await tracers
      .shutdown()
      .catch((error: Error) => log().warn({ reason: error.message }, 'traces were lost'));
  };
}

/** Starts a span; null: tracing is off. */
export function startSpan(name: string, attributes: Attributes, traceparent?: string): Span | null {
  const tracing = slot.value;
  // 1 is SpanKind.SERVER; importing the constant would load the package
  return tracing?.tracer.startSpan(name, { kind: 1, attributes }, tracing.parentOf(traceparent)) ?? null;
}
