// The clients of both MCP SDKs, unmodified, at a protected MCP server (docs/how-to/mcp-clients.md).
import { expect, test } from '@playwright/test';
import { send } from '#testing/net/http.ts';
import { Browser } from '#testing/service/browser.ts';
import { agreeing, Keeper, type ProtectedServer, startProtectedServer } from '../../support/clients/mcp.ts';
import { connected, SDKS } from '../../support/clients/mcp-agent.ts';
import { expire, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

let notes: ProtectedServer;
test.beforeAll(async () => {
  notes = await startProtectedServer();
});
test.afterAll(() => notes.close());

for (const [name, connect] of Object.entries(SDKS)) {
  test(`${name} with a registered client completes sign-in, tool call, step-up scope and refresh, and receives 401 after a block`, async () => {
    const [person, { clientId }] = await Promise.all([
      makePerson(),
      makeClient({ kind: 'native', redirectUris: ['http://127.0.0.1/callback'], apis: [notes.apiId] }),
    ]);
    const keeper = new Keeper({
      redirectUrl: 'http://127.0.0.1:4999/callback',
      clientId,
      // most applications register these grant types; with this metadata the library also requests offline_access
      metadata: { grant_types: ['authorization_code', 'refresh_token'] },
    });
    const browser = new Browser(door);
    const asked: string[] = [];
    const agrees = agreeing(browser, person);
    const visit = (address: string) => {
      asked.push(address);
      return agrees(address);
    };
    const agent = await connected(connect, { url: notes.url, keeper, visit });
    const [first] = asked.map((address) => new URL(address).searchParams);
    expect(first?.get('resource')).toBe(notes.url.href);
    expect(first?.get('scope')?.split(' ')).toContain('read');
    expect(first?.get('scope')?.split(' ')).not.toContain('write');
    expect((await agent.call('list_notes', {})).content[0]?.text).toContain('Water the plants');

    // if a scope is missing, the older SDK refreshes its token instead of requesting authorization
    keeper.withoutRefresh = name.includes('sdk');
    await expect(agent.call('add_note', { text: name })).rejects.toThrow();
    await agent.finish(await visit(keeper.take()));
    expect((await agent.call('add_note', { text: name })).content[0]?.text).toContain(name);

    const before = keeper.tokens();
    await expire('opaque_tokens', before?.access_token ?? '');
    expect((await agent.call('list_notes', {})).content[0]?.text).toContain(name);
    const current = keeper.tokens()?.access_token ?? '';
    const renewed = keeper.tokens()?.refresh_token;
    expect([current, renewed]).not.toContain(before?.access_token);
    expect(renewed).not.toBe(before?.refresh_token);
    expect(new Set(keeper.tokens()?.scope?.split(' ') ?? ['read', 'write'])).toEqual(
      new Set(['read', 'write']),
    );

    await sql('update clients set disabled_at = now() where client_id = $1', [clientId]);
    const refused = await send(notes.url.href, {
      method: 'POST',
      headers: { authorization: `Bearer ${current}` },
      body: '{}',
    });
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toContain('error="invalid_token"');
    await expect(agent.call('list_notes', {})).rejects.toThrow();
    await agent.close();
  });
}
