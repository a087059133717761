// Texts in several languages on the page of an unregistered client that waits for approval.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { agentRequest, startDocumentHost } from '#testing/clients/unregistered.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';

let host: Awaited<ReturnType<typeof startDocumentHost>>;
beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  host = await startDocumentHost();
});
afterAll(async () => {
  await host.close();
  loadSettings();
});

test('the waiting page shows client, API and scopes in the reader’s language, and marks other languages', async () => {
  host.say('/agent', { client_name: 'Helpful', 'client_name#de': 'Helfer' });
  const texts = (text: string, german: string) => [text, JSON.stringify({ en: text, de: german })];
  await sql(
    "update apis set agents = 'ask', name = $1, name_texts = $2 where id = 'orders'",
    texts('Orders', 'Bestellungen'),
  );
  await sql(
    "update api_scopes set description = $1, description_texts = $2 where api_id = 'orders' and name = 'read'",
    texts('See your orders', 'Ihre Bestellungen sehen'),
  );
  await currentSnapshot();
  const { cookie } = await signInTo('alice@example.com');
  const at = agentRequest(host.at('/agent'), { scope: 'read' });
  const body = async (tag: string) =>
    String((await ask(at, { headers: { cookie, 'accept-language': tag } })).body);
  const german = await body('de');
  for (const text of ['Helfer', 'Bestellungen', '<bdi>Ihre Bestellungen sehen</bdi>'])
    expect(german).toContain(text);
  const japanese = await body('ja');
  for (const text of ['<bdi>Helpful</bdi>', 'Orders', '<bdi lang="en">See your orders</bdi>'])
    expect(japanese).toContain(text);
});
