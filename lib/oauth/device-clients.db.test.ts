// The device grant over HTTP with two unmodified libraries: openid-client and oauth4webapi.
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { connect, DEVICES_AT, givenDevices } from '#testing/in-process/devices.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';

let door: Awaited<ReturnType<typeof openDoor>>;
let issuer: URL;
beforeAll(async () => {
  await givenDevices();
  door = await openDoor();
  issuer = new URL(`${door.url}${DEVICES_AT}`);
});
afterAll(async () => {
  await door.close();
  loadSettings();
});

test('openid-client connects a device with initiateDeviceAuthorization and pollDeviceAuthorizationGrant, and refreshes', async () => {
  const options = { execute: [openid.allowInsecureRequests] };
  const config = await openid.discovery(issuer, 'nat', undefined, openid.None(), options);
  const device = await openid.initiateDeviceAuthorization(config, { scope: 'openid read' });
  expect(device.verification_uri).toBe(`${door.url}/device`);
  expect(await connect(device)).toBe('allowed');
  // openid-client waits for the interval before each poll
  const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...device, interval: 1 });
  expect(tokens.claims()?.sub).toBeTypeOf('string');
  const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
  expect(next.scope ?? 'openid read').toBe('openid read');
});

test('oauth4webapi receives authorization_pending in the body, and then tokens once', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const found = await oauth.discoveryRequest(issuer, insecure);
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const client = { client_id: 'nat' };
  const ask = await oauth.deviceAuthorizationRequest(
    server,
    client,
    oauth.None(),
    { scope: 'read' },
    insecure,
  );
  const device = await oauth.processDeviceAuthorizationResponse(server, client, ask);
  const poll = async () => {
    const answer = await oauth.deviceCodeGrantRequest(
      server,
      client,
      oauth.None(),
      device.device_code,
      insecure,
    );
    return oauth.processDeviceCodeResponse(server, client, answer);
  };
  await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending', status: 400 });
  expect(await connect(device)).toBe('allowed');
  expect((await poll()).access_token).toBeTypeOf('string');
  await expect(poll()).rejects.toMatchObject({ error: 'invalid_grant' });
});
