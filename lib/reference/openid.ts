// OpenID Connect: who signed in.
import { curl, exampleIssuer, ISSUER, type Prose } from './endpoint.ts';

const answers = [
  {
    status: '200',
    description:
      'The claims of the scopes that were granted, and those asked for by name. What is not known of the person is left out.',
    example:
      '{"sub":"PERSON_ID","name":"Alice","updated_at":1790000000,"email":"alice@example.com","email_verified":true}',
    schema: 'Userinfo',
  },
];

const shared = { pattern: `${ISSUER}/userinfo`, answers };

export const openIdEndpoints: readonly Prose[] = [
  {
    ...shared,
    id: 'userinfo',
    method: 'GET',
    summary: 'Who the person is',
    description:
      'For an access token that was given with the scope `openid`, JWT or opaque, for as long as its sign-in lives. Browsers of any origin may read the answer.',
    command: (addresses) =>
      curl(`${exampleIssuer(addresses)}/userinfo`, "-H 'Authorization: Bearer ACCESS_TOKEN'"),
  },
  {
    ...shared,
    id: 'userinfo-post',
    method: 'POST',
    summary: 'The same by POST',
    description: 'With the access token in the header, or in the body as `access_token` (RFC 6750 §2.2).',
    command: (addresses) => curl(`${exampleIssuer(addresses)}/userinfo`, '-d access_token=ACCESS_TOKEN'),
  },
];
