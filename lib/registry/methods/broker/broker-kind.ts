// A federated OpenID Connect or OAuth 2.0 provider that people are sent to. What speaks with it is
// lib/auth-methods/broker.ts.
import type { MethodKind } from '../kind.ts';
import { brokerConfig, OPENID_OR_PLAIN } from './config.ts';
import { brokerFaults, brokerSecretFaults, whoAnswersAt } from './faults.ts';
import { presetOf, provesClaim, withPreset } from './presets.ts';
import { brokerProbes, brokerRemarks } from './probes.ts';
import { hasSeveralTenants, tenantNamed } from './tenants.ts';

const BROKER_SCOPES = ['openid', 'email', 'profile'];

export const brokerKind = {
  type: 'broker',
  capabilities: { asksPassword: false, redirects: true, hasAccounts: false, tellsProfile: true },
  words: {
    label: 'Broker',
    note: 'People sign in at an OpenID Connect or OAuth 2.0 provider.',
    catalogue: 'federated',
  },
  config: brokerConfig,
  secret: {
    key: 'client_secret',
    label: 'Our client secret there',
    signing: { in: 'signed_secret', key: 'private_key' },
  },
  addresses: [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'userinfo_endpoint',
    'emails_endpoint',
    'base_url',
  ],
  faults: brokerFaults,
  secretFaults: brokerSecretFaults,
  unsaid: { nonce: true, pkce: true },
  whole: withPreset,
  whoAnswers: whoAnswersAt,
  provesClaim,
  hasTenants: hasSeveralTenants,
  tenantOf: tenantNamed,
  defaultsInFile: ({ name, scopes, issuer, preset, shared_callback }) => ({
    ...(name === undefined && preset !== undefined && { name: presetOf({ preset })?.label }),
    scopes: scopes ?? (preset ? null : issuer ? BROKER_SCOPES : []),
    // false is the same as nothing in the database; a file that says neither leaves what is there
    shared_callback: shared_callback === false ? null : shared_callback,
  }),
  choice: OPENID_OR_PLAIN,
  remarks: brokerRemarks,
  probes: brokerProbes,
} as const satisfies MethodKind;
