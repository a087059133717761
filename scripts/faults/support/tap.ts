// Proxy between service and PostgreSQL. For a chosen statement, the proxy withholds the response, at which point
// PostgreSQL has committed. A test can then kill the service between commit and response.
import net from 'node:net';

export class Tap {
  readonly #server: net.Server;
  #armed: { statement: string; caught: () => void } | undefined;

  constructor(postgresPort: number) {
    this.#server = net.createServer((service) => {
      const postgres = net.connect(postgresPort, '127.0.0.1');
      let waiting: (() => void) | undefined;
      service.on('data', (bytes) => {
        if (this.#armed && bytes.includes(this.#armed.statement)) {
          waiting = this.#armed.caught;
          this.#armed = undefined;
        }
        postgres.write(bytes);
      });
      postgres.on('data', (bytes) => {
        if (waiting) waiting();
        else service.write(bytes);
      });
      for (const [one, other] of [
        [service, postgres],
        [postgres, service],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as net.AddressInfo).port;
  }

  /** Resolves when PostgreSQL has answered the statement, before the service receives the response. */
  catch(statement: string): Promise<void> {
    return new Promise((resolve) => {
      this.#armed = { statement, caught: resolve };
    });
  }

  close(): void {
    this.#server.close();
  }
}
