// OpenTelemetry, by its standard variables alone: OTEL_EXPORTER_OTLP_ENDPOINT (or …_TRACES_ENDPOINT) turns it on, and its
// packages are loaded only then. A span names an address's pattern or a statement's name, never a value.
import { setTrace, type Trace } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';

/** Gives the way to send what is left and stop. */
export async function startTracing(): Promise<() => Promise<void>> {
  const wanted = settings().tracing;
  if (!wanted) return async () => {};
  const [api, sdk, hooks, core, resources, exporter] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ 'service.name': 'gatehouse' }))
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const ratio = new sdk.TraceIdRatioBasedSampler(wanted.sampleRatio);
  const provider = new sdk.TracerProvider({
    resource,
    sampler: wanted.parentBased ? new sdk.ParentBasedSampler({ root: ratio }) : ratio,
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter() })],
  });
  api.context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  const propagator = new core.W3CTraceContextPropagator();
  const tracer = provider.getTracer('gatehouse');
  const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT };

  const trace: Trace = ({ name, kind, parent }, work) => {
    const active = api.context.active();
    const from = parent ? propagator.extract(active, parent, api.defaultTextMapGetter) : active;
    return tracer.startActiveSpan(name, { kind: kinds[kind] }, from, async (span) => {
      try {
        return await work((attribute, value) => span.setAttribute(attribute, value));
      } catch (error) {
        // its class and nothing of its words, which may quote what somebody sent
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: (error as Error).name });
        throw error;
      } finally {
        span.end();
      }
    });
  };
  setTrace(trace);
  return () => provider.shutdown();
}
