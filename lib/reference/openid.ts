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

const signOut = {
  pattern: `${ISSUER}/logout`,
  answers: [
    { status: '302', description: 'Back to post_logout_redirect_uri, with the state.' },
    { status: '303', description: 'To the page that asks the person, or from POST to GET.' },
    { status: '200', description: 'A page that says that the person is signed out.' },
  ],
};

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
  {
    ...signOut,
    id: 'sign-out',
    method: 'GET',
    summary: 'Sign the person out',
    description:
      "Send the browser here. With an ID token of this browser's session it ends without a question, at all APIs of the method; otherwise the person is asked. A redirect that is not registered changes nothing about that.",
    command: (addresses) => curl(`${exampleIssuer(addresses)}/logout?id_token_hint=ID_TOKEN`),
  },
  {
    ...signOut,
    id: 'sign-out-post',
    method: 'POST',
    summary: 'The same by POST',
    description: 'A form. The browser is sent to the GET of the same address.',
    command: (addresses) => curl(`${exampleIssuer(addresses)}/logout`, '-d id_token_hint=ID_TOKEN'),
  },
];
