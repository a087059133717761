// An application that signs people in by OpenID Connect, like the client of the conformance suite. openid-client
// (signature, iss, aud, exp, nonce, auth_time), jose and oidc-token-hash verify its tokens.
import { expect } from '@playwright/test';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { validate as validateHash } from 'oidc-token-hash';
import * as openid from 'openid-client';
import type { Client } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { type Door, issuerOf } from '#testing/net/door.ts';
import type { At, Browser, Params } from '#testing/service/browser.ts';
import { makeClient, makePerson } from '../service/database.ts';

type Tokens = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers;
export type SignedIn = { tokens: Tokens; idToken: string; claims: JWTPayload; answer: URL };
/** Request data that the application stores until the response. */
export type Asked = { params: Params; verifier?: string };

export class RelyingParty {
  readonly client: Client;
  readonly config: openid.Configuration;
  private constructor(client: Client, config: openid.Configuration) {
    this.client = client;
    this.config = config;
  }

  /** Discovers the issuer's metadata from its URL. */
  static async at(
    door: Door,
    client: Client,
    { at = {}, authentication }: { at?: At; authentication?: openid.ClientAuth } = {},
  ): Promise<RelyingParty> {
    const config = await openid.discovery(
      new URL(issuerOf(door, at.method, at.api)),
      client.clientId,
      undefined,
      authentication ?? openid.ClientSecretBasic(client.secret),
      { execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks] },
    );
    return new RelyingParty(client, config);
  }

  get metadata(): openid.ServerMetadata {
    return this.config.serverMetadata();
  }

  /** Creates an authorize request with a fresh state and nonce; undefined omits a parameter. */
  request(changes: Params = {}): Asked {
    const { clientId, redirectUri } = this.client;
    return {
      params: {
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'openid',
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        ...changes,
      },
    };
  }

  async pkceRequest(changes: Params = {}): Promise<Asked> {
    const verifier = openid.randomPKCECodeVerifier();
    const challenge = await openid.calculatePKCECodeChallenge(verifier);
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    return { ...this.request({ ...pkce, ...changes }), verifier };
  }

  /** Completes a request; signs in as `who` and consents if required. */
  async signIn(browser: Browser, who?: Person, changes: Params = {}): Promise<SignedIn> {
    const asked = this.request(changes);
    return this.finish(asked, (await browser.finish(asked.params, who)).location);
  }

  /** Verifies the redirect URL or form post and returns verified tokens. */
  async finish({ params, verifier }: Asked, answer: string | Request): Promise<SignedIn> {
    const { state: expectedState, nonce: expectedNonce, max_age: maxAge, redirect_uri: redirectUri } = params;
    const address = typeof answer === 'string' ? answer : answer.url;
    expect(address.startsWith(redirectUri ?? 'missing:'), address).toBe(true);
    const arrived = typeof answer === 'string' ? new URL(answer) : answer;
    const tokens = await openid.authorizationCodeGrant(this.config, arrived, {
      idTokenExpected: true,
      ...(expectedState === undefined ? {} : { expectedState }),
      ...(expectedNonce === undefined ? {} : { expectedNonce }),
      ...(verifier === undefined ? {} : { pkceCodeVerifier: verifier }),
      ...(maxAge === undefined ? {} : { maxAge: Number(maxAge) }),
    });
    return { tokens, ...(await this.verified(tokens)), answer: new URL(address) };
  }

  /** Returns the ID token of a token response, which jose and oidc-token-hash have verified. */
  async verified(tokens: openid.TokenEndpointResponse): Promise<{ idToken: string; claims: JWTPayload }> {
    const idToken = tokens.id_token ?? '';
    const { issuer, jwks_uri: jwks = '' } = this.metadata;
    const { payload: claims, protectedHeader } = await jwtVerify(idToken, createRemoteJWKSet(new URL(jwks)), {
      issuer,
      audience: this.client.clientId,
      typ: 'JWT',
      maxTokenAge: '5 minutes',
    });
    expect(protectedHeader.kid).toEqual(expect.any(String));
    const names = { claim: 'at_hash', source: 'access_token' };
    validateHash(names, String(claims['at_hash']), tokens.access_token, protectedHeader.alg);
    return { idToken, claims };
  }

  /** Returns the logout URL of the issuer; undefined omits a parameter. */
  signOutUrl({ client_id, ...params }: Params = {}): string {
    const given = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const url = openid.buildEndSessionUrl(this.config, Object.fromEntries(given));
    // the library always names the client
    if (client_id === undefined) url.searchParams.delete('client_id');
    return url.href;
  }

  /** Returns the issuer's keys, loaded with jose. */
  get keys() {
    return createRemoteJWKSet(new URL(this.metadata.jwks_uri ?? ''));
  }

  userinfo({ tokens, claims }: SignedIn): Promise<openid.UserInfoResponse> {
    return openid.fetchUserInfo(this.config, tokens.access_token, String(claims.sub));
  }
}

export type Cast = { rp: RelyingParty; person: Person };

/** Creates a confidential client and a user for one test file. */
export async function openIdCast(door: Door, redirectUris?: string[]): Promise<Cast> {
  const [client, person] = await Promise.all([
    makeClient({ kind: 'confidential', ...(redirectUris ? { redirectUris } : {}) }),
    makePerson(),
  ]);
  return { rp: await RelyingParty.at(door, client), person };
}
