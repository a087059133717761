// What the walk of an MCP client found, step by step, and the end of the walk where a client stops.
import type { Finding } from '#lib/management/service/doctor-finding.ts';

/** A client goes no further. The report has said why. */
export class ClientStops extends Error {
  override name = 'ClientStops';
}

const MAX_LENGTH = 600;

export class Report {
  readonly findings: Finding[] = [];

  ok(check: string, detail: string): void {
    this.#note(check, 'ok', detail);
  }

  /** A client continues, or some clients do. */
  warn(check: string, detail: string): void {
    this.#note(check, 'warning', detail);
  }

  stop(check: string, detail: string): never {
    this.#note(check, 'broken', detail);
    throw new ClientStops(detail);
  }

  /** Strangers' documents are quoted: no control character of theirs reaches a terminal. */
  #note(check: string, state: Finding['state'], detail: string): void {
    const plain = detail.replace(/\p{C}/gu, '?');
    this.findings.push({
      check,
      state,
      detail: plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH)}…` : plain,
    });
  }
}
