// A developer registers an application with keys in the console. Another application switches from secret to keys.
import { ASSERTION_TYPE, makeAssertion, makePair, setOf } from '#testing/clients/client-keys.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

const BY_KEYS = { name: 'With its own key pair' };

test('a registration with a pasted key shows no secret and offers none', async ({ page }) => {
  const pair = await makePair();
  await enterConsole(page, await makePerson('developer'), '/developer/clients/new');
  await page.getByLabel('Name', { exact: true }).fill('Signing counter');
  await page.getByRole('radio', { name: 'On a server' }).check();
  await page.getByLabel('redirect address 1').fill('https://counter.example/callback');
  await page.getByText('Advanced', { exact: true }).click();
  await page.getByRole('radio', BY_KEYS).check();
  await page.getByLabel('Public keys').fill(JSON.stringify({ keys: [{ ...pair.jwk, d: 'AAAA' }] }));
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await expect(page.getByText(/keys\.0\.d: This must not be included/)).toBeVisible();
  await page.getByLabel('Public keys').fill('{ "keys": [');
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await expect(page.locator('.fault', { hasText: '“Public keys” must be keys and values' })).toBeVisible();
  await page.getByLabel('Public keys').fill(JSON.stringify(setOf(pair)));
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Signing counter');
  await expect(page.getByText('1 public key is registered')).toBeVisible();
  await expect(page.getByRole('button', { name: /secret/ })).toHaveCount(0);

  const clientId = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
  await sql("insert into subscriptions (client_id, api_id, state) values ($1, 'orders', 'approved')", [
    clientId,
  ]);
  await expect(page.getByText('No assertion accepted yet.')).toBeVisible();
  const issuer = issuerOf(nodeDoor);
  const answer = await send(`${issuer}/token`, {
    form: {
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await makeAssertion({ clientId, audience: issuer, pair }),
    },
  });
  expect(answer.json()).toMatchObject({ error: 'invalid_grant' });
  const noted = () => sql('select audience from client_assertions where client_id = $1', [clientId]);
  await expect.poll(noted).toEqual([{ audience: 'issuer' }]);
  await page.reload();
  await expect(page.getByText('The issuer, since')).toBeVisible();
  // a process records at most one change per minute
  await sql("update client_assertions set audience = 'token_endpoint' where client_id = $1", [clientId]);
  await page.reload();
  await expect(page.getByText('The token endpoint, since')).toBeVisible();
});

test('a switch to keys warns about deleted secrets and keeps typed input', async ({ page }) => {
  const owner = await makePerson('developer');
  const { clientId } = await makeClient();
  await sql('update clients set owner_id = $2 where client_id = $1', [clientId, owner.id]);
  await enterConsole(page, owner, `/developer/clients/${clientId}/edit`);
  await page.getByText('Advanced', { exact: true }).click();
  await page.getByRole('radio', BY_KEYS).check();
  await page.getByLabel('Key set address').fill('https://counter.example/keys');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(
    page.getByText('The client’s secrets are deleted: from the next request on, only its keys are accepted.'),
  ).toBeVisible();
  await expect(page.getByRole('radio', BY_KEYS)).toBeChecked();
  await page.getByRole('button', { name: 'Save anyway' }).click();
  await expect(page.getByText('the keys are fetched from')).toBeVisible();
  expect(await sql('select 1 from client_secrets where client_id = $1', [clientId])).toEqual([]);
});

for (const kind of ['browser', 'native'] as const)
  test(`an edited ${kind} client keeps token_endpoint_auth_method none`, async ({ page }) => {
    const owner = await makePerson('developer');
    const { clientId } = await makeClient({ kind });
    await sql("update clients set owner_id = $2, token_endpoint_auth_method = 'none' where client_id = $1", [
      clientId,
      owner.id,
    ]);
    await enterConsole(page, owner, `/developer/clients/${clientId}/edit`);
    await page.getByLabel('Name', { exact: true }).fill('Counter');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('The application is changed.')).toBeVisible();
    const [row] = await sql<{ name: string; by: string }>(
      'select name, token_endpoint_auth_method as by from clients where client_id = $1',
      [clientId],
    );
    expect(row).toEqual({ name: 'Counter', by: 'none' });
  });
