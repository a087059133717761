// Presets of services where people have accounts of their own. What names a person here never changes.
import { type Preset, USUAL_SCOPES } from './preset.ts';

/** https://developers.facebook.com/docs/graph-api/changelog/versions */
const GRAPH = { version: 'v25.0', on: '2028-07-29' };

export const SOCIAL_PRESETS = {
  facebook: {
    label: 'Facebook',
    controls: ['id'],
    own: [],
    fills: () => ({
      authorization_endpoint: `https://www.facebook.com/${GRAPH.version}/dialog/oauth`,
      token_endpoint: `https://graph.facebook.com/${GRAPH.version}/oauth/access_token`,
      // without a version: it names the people, and another address would make others of them
      userinfo_endpoint: 'https://graph.facebook.com/me?fields=id,name,email,picture',
      subject_claim: 'id',
      scopes: ['email'],
      claims: { picture: 'picture.data.url' },
    }),
    registration: 'https://developers.facebook.com/apps',
    steps: [
      'Register an app there, with the use case “Facebook Login”.',
      'Add the redirect address above under “Valid OAuth Redirect URIs”.',
      'Copy the app ID and the app secret here.',
    ],
    sendsProof: true,
    ends: GRAPH,
  },
  linkedin: {
    label: 'LinkedIn',
    controls: [],
    own: [],
    fills: () => ({
      issuer: 'https://www.linkedin.com/oauth',
      scopes: USUAL_SCOPES,
      token_endpoint_auth_method: 'client_secret_post',
      nonce: false,
      pkce: false,
    }),
    registration: 'https://www.linkedin.com/developers/apps',
    steps: [
      'Register an app there, and add the product “Sign In with LinkedIn using OpenID Connect”.',
      'Add the redirect address above under “Authorized redirect URLs”.',
      'Copy the client ID and the client secret here.',
    ],
  },
  discord: {
    label: 'Discord',
    controls: ['id'],
    own: [],
    fills: () => ({
      authorization_endpoint: 'https://discord.com/api/oauth2/authorize',
      token_endpoint: 'https://discord.com/api/oauth2/token',
      userinfo_endpoint: 'https://discord.com/api/users/@me',
      subject_claim: 'id',
      scopes: ['identify', 'email'],
      claims: { name: 'global_name', preferred_username: 'username', email_verified: 'verified' },
    }),
    registration: 'https://discord.com/developers/applications',
    steps: [
      'Register an application there.',
      'Add the redirect address above under “Redirects”.',
      'Copy the client ID and the client secret here.',
    ],
  },
  x: {
    label: 'X',
    controls: ['data.id'],
    own: [],
    fills: () => ({
      authorization_endpoint: 'https://x.com/i/oauth2/authorize',
      token_endpoint: 'https://api.x.com/2/oauth2/token',
      userinfo_endpoint: 'https://api.x.com/2/users/me?user.fields=profile_image_url',
      subject_claim: 'data.id',
      scopes: ['users.read', 'tweet.read'],
      token_endpoint_auth_method: 'client_secret_basic',
      claims: {
        name: 'data.name',
        preferred_username: 'data.username',
        picture: 'data.profile_image_url',
      },
    }),
    registration: 'https://developer.x.com/en/portal/dashboard',
    steps: [
      'Register an application there as a “Web App”, and set up “User authentication”.',
      'Set the redirect address above as its “Callback URI”.',
      'Copy the client ID and the client secret here.',
    ],
  },
} as const satisfies Record<string, Preset>;
