// Chromium's virtual authenticator (CDP domain WebAuthn): a platform authenticator that a test controls.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { CDPSession, Page } from '@playwright/test';
import { cbor } from '#testing/factors/authenticator.ts';
import { sql } from '../service/database.ts';

type Owner = { id: string };
type Given = {
  /** signature counter of the authenticator; `knownCounter`: the counter that the database stores */
  counter?: number;
  knownCounter?: number;
  rpId?: string;
  synced?: boolean;
  /** user that the passkey's user handle identifies */
  names?: Owner;
};

const handleOf = ({ id }: Owner) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64');

export class VirtualAuthenticator {
  readonly #session: CDPSession;
  readonly #authenticatorId: string;

  constructor(session: CDPSession, authenticatorId: string) {
    this.#session = session;
    this.#authenticatorId = authenticatorId;
  }

  /** Authenticator of this page; user presence and verification succeed immediately. */
  static async of(page: Page): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  async setUserVerified(isUserVerified: boolean): Promise<void> {
    const authenticatorId = this.#authenticatorId;
    await this.#session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  }

  /** Switches automatic user presence on or off, also for conditional UI. */
  async setPresent(enabled: boolean): Promise<void> {
    const authenticatorId = this.#authenticatorId;
    await this.#session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  }

  /** Stores a passkey in authenticator and database. Per user, the authenticator keeps only the last passkey. */
  async give(owner: Owner, given: Given = {}): Promise<void> {
    const { counter = 1, knownCounter = 0, rpId = 'localhost', synced = false, names = owner } = given;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const id = randomBytes(32);
    await this.#session.send('WebAuthn.addCredential', {
      authenticatorId: this.#authenticatorId,
      credential: {
        credentialId: id.toString('base64'),
        isResidentCredential: true,
        rpId: 'localhost',
        privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
        userHandle: handleOf(names),
        signCount: counter,
        backupEligibility: synced,
        backupState: synced,
      },
    });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const key: [number, number | Buffer][] = [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ];
    await sql(
      `insert into passkeys (credential_id, person_id, rp_id, public_key, counter, transports, backup_eligible, backed_up, name)
       values ($1, $2, $3, $4, $5, '{internal}', $6, $6, 'Virtual')`,
      [id, owner.id, rpId, cbor(new Map(key)), knownCounter, synced],
    );
  }
}
