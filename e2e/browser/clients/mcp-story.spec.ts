// An unmodified, unregistered MCP client with its user and its approver in Chromium: the client waits for an
// approver, calls a tool, requests more scopes, renews its token, and is blocked.
import http from 'node:http';
import { listen } from '#testing/net/listen.ts';
import { Keeper, startProtectedServer } from '../../support/clients/mcp.ts';
import { SDKS, unauthorized } from '../../support/clients/mcp-agent.ts';
import { hasDocumentHost, ON_A_MACHINE, startAgentHost } from '../../support/clients/mcp-documents.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { allow, signIn } from '../../support/pages/visit.ts';
import { expire, makePerson, sql } from '../../support/service/database.ts';

test.skip(!hasDocumentHost, 'openssl is not installed');

for (const [name, connect] of Object.entries(SDKS)) {
  test(`${name}: one link works for an unknown, pending and approved client, followed by a tool call, step-up, refresh, block and 401`, async ({
    page,
    person,
    browser,
  }) => {
    const documents = await startAgentHost();
    const notes = await startProtectedServer({ agents: 'ask', name: 'Notes' });
    const callback = await listen(
      http.createServer((_, response) => response.end('You can close this page.')),
    );
    const clientMetadataUrl = documents.publish('/agent.json', ON_A_MACHINE);
    const redirectUrl = `http://localhost:${callback.port}/callback`;
    const keeper = new Keeper({
      redirectUrl,
      clientMetadataUrl,
      metadata: { grant_types: ['authorization_code', 'refresh_token'] },
    });
    const desk = await (await browser.newContext()).newPage();
    try {
      const first = connect(notes.url, keeper);
      await unauthorized(first.connect());
      const link = keeper.take();
      expect(new URL(link).searchParams.get('client_id')).toBe(clientMetadataUrl);

      await test.step('the user sees that approval is pending', async () => {
        await page.goto(link);
        await signIn(page, person);
        await expect(page.getByRole('heading', { name: 'Waiting for approval' })).toBeVisible();
        await expect(
          page.getByText(`localhost:${documents.port}`).or(page.getByText('localhost')).first(),
        ).toBeVisible();
      });

      await test.step('an approver limits the scopes', async () => {
        await enterConsole(desk, await makePerson('approver'), '/admin/approvals');
        const query = new URLSearchParams({ client: clientMetadataUrl, api: notes.apiId });
        await desk.goto(`${new URL(desk.url()).origin}/admin/approvals?${query}`);
        await expect(desk.getByRole('heading', { name: 'Memo agent → Notes' })).toBeVisible();
        await desk.getByRole('checkbox', { name: 'Place and change orders' }).check();
        await desk.getByRole('button', { name: 'Approve', exact: true }).click();
        await expect(desk.getByRole('status').first()).toContainText('Approved');
      });

      const agreed = async (address: string) => {
        await page.goto(address);
        await expect(page.getByRole('heading', { name: 'Memo agent wants access to Notes' })).toBeVisible();
        await allow(page);
        await page.waitForURL(`${redirectUrl}?**`);
        return new URL(page.url()).searchParams;
      };
      await first.finish(await agreed(link));
      const agent = connect(notes.url, keeper);
      await agent.connect();
      expect((await agent.call('list_notes', {})).content[0]?.text).toContain('Water the plants');

      keeper.withoutRefresh = name.includes('sdk');
      await unauthorized(agent.call('add_note', { text: 'Call home' }));
      await agent.finish(await agreed(keeper.take()));
      expect((await agent.call('add_note', { text: 'Call home' })).content[0]?.text).toContain('Call home');

      const before = keeper.tokens()?.access_token ?? '';
      await expire('opaque_tokens', before);
      await agent.call('list_notes', {});
      const renewed = keeper.tokens()?.access_token ?? '';
      expect(renewed).not.toBe(before);

      await test.step('a block rejects the next call and the next sign-in', async () => {
        await sql('update clients set disabled_at = now() where client_id = $1', [clientMetadataUrl]);
        const headers = { authorization: `Bearer ${renewed}` };
        expect((await fetch(notes.url, { method: 'POST', headers, body: '{}' })).status).toBe(401);
        await expect(agent.call('list_notes', {})).rejects.toThrow();
        await page.goto(link);
        await expect(page.getByRole('heading', { name: 'This application is blocked' })).toBeVisible();
      });
      await agent.close();
    } finally {
      await desk.context().close();
      await Promise.all([documents.close(), notes.close(), callback.close()]);
      await sql('delete from clients where client_id = $1', [clientMetadataUrl]);
    }
  });
}
