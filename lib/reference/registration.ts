// Dynamic client registration (RFC 7591).
import { curl, exampleIssuer, ISSUER, type Prose } from './endpoint.ts';

export const registrationEndpoints: readonly Prose[] = [
  {
    id: 'register',
    method: 'POST',
    pattern: `${ISSUER}/register`,
    summary: 'Register a client',
    description:
      "Makes a client with a pending subscription to the issuer's API: it gets no token until an approver has said yes, in the same inbox as every request. The address is there only where the operator has set a registration token, and the metadata names it only then. JSON alone; members that are not known here are ignored, grants that the client may not have are left out. What nobody approves in thirty days is deleted.",
    answers: [
      {
        status: '201',
        description: 'The client as it was registered. The secret is shown this once.',
        example:
          '{"client_id":"registered-JxQ…","client_id_issued_at":1790000000,"client_name":"My agent","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"scope":"orders:read"}',
        schema: 'RegistrationResponse',
      },
    ],
    command: (addresses) =>
      curl(
        `${exampleIssuer(addresses)}/register`,
        "-H 'Authorization: Bearer REGISTRATION_TOKEN'",
        "-H 'Content-Type: application/json'",
        '-d @client.json',
      ),
  },
];
