// Load balancer that behaves like common products: it polls /ready ten times a second, distributes requests round
// robin among ready instances, keeps connections, never repeats a request. Response header `x-instance` names the
// instance.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { attempt } from '#testing/net/http.ts';
import type { Instance } from './instance.ts';

export class Balancer {
  readonly #instances: Instance[];
  readonly #healthy = new Set<Instance>();
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
  readonly #server = http.createServer((incoming, outgoing) => this.#forward(incoming, outgoing));
  #timer: NodeJS.Timeout | undefined;
  #next = 0;
  /** requests per instance, to check even distribution */
  readonly served = new Map<string, number>();

  constructor(instances: Instance[]) {
    this.#instances = instances;
  }

  /** Adds an instance to polling; ready instances receive requests. */
  add(instance: Instance): void {
    this.#instances.push(instance);
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    await this.#look();
    this.#timer = setInterval(() => void this.#look(), 100);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  async #look(): Promise<void> {
    await Promise.all(
      this.#instances.map(async (instance) => {
        const { status } = await attempt(`${instance.url}/ready`);
        if (status === 200) this.#healthy.add(instance);
        else this.#healthy.delete(instance);
      }),
    );
  }

  #forward(incoming: http.IncomingMessage, outgoing: http.ServerResponse): void {
    const healthy = this.#instances.filter((instance) => this.#healthy.has(instance));
    const instance = healthy[this.#next++ % Math.max(1, healthy.length)];
    if (!instance) {
      outgoing.writeHead(502).end();
      return;
    }
    this.served.set(instance.name, (this.served.get(instance.name) ?? 0) + 1);
    const request = http.request(
      {
        host: '127.0.0.1',
        port: instance.port,
        path: incoming.url,
        method: incoming.method,
        headers: incoming.headers,
        agent: this.#agent,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'x-instance': instance.name });
        answer.pipe(outgoing);
      },
    );
    request.on('error', () => {
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end();
    });
    incoming.pipe(request);
  }
}
