// The package brings no types; this is as much of it as the benchmark uses.
declare module 'oidc-provider' {
  import type { Server } from 'node:http';
  export type AdapterPayload = { [name: string]: unknown; grantId?: string; userCode?: string; uid?: string };
  export interface Adapter {
    upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void>;
    find(id: string): Promise<AdapterPayload | undefined>;
    findByUid(uid: string): Promise<AdapterPayload | undefined>;
    findByUserCode(userCode: string): Promise<AdapterPayload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }
  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    listen(port: number, host: string): Server;
    on(event: string, listener: (context: unknown, error: Error) => void): this;
  }
}
