// The tracer of a thread, if the node sends traces.
import { provideActiveSpan } from '../../common/tracing/span.ts';
import { openTracer, type Tracer } from '../../common/tracing/tracer.ts';
import type { NodeOptions } from './node-options.ts';

/** @param onProblem  is called when the collector does not take spans. @returns null if no endpoint for traces is configured */
export function openNodeTracer(
  { settings, clusterName, nodeId, nodeName }: NodeOptions,
  thread: string,
  onProblem: (message: string) => void,
): Tracer | null {
  const endpoint = settings['otel.exporter.otlp.endpoint'];
  if (endpoint === '') return null;
  return openTracer({
    endpoint,
    headers: settings['otel.exporter.otlp.headers'],
    timeoutMs: settings['otel.exporter.otlp.timeout'],
    delayMs: settings['otel.bsp.schedule.delay'],
    maxQueue: settings['otel.bsp.max.queue.size'],
    ratio: settings['otel.traces.sampler.arg'],
    resource: {
      'service.name': settings['otel.service.name'],
      'service.namespace': clusterName,
      'service.instance.id': nodeId,
      'elasticsearch.node.name': nodeName,
      'telemetry.sdk.name': 'gannet',
      'telemetry.sdk.language': 'nodejs',
      'process.pid': process.pid,
      'thread.name': thread,
    },
    provide: provideActiveSpan,
    onProblem,
  });
}
