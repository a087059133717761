// What the protected resource metadata answer (RFC 9728 §2).
import { z } from 'zod';
import { type Declaration, identifier, refuses, serviceErrors } from '../errors/declaration.ts';

const texts = z.array(z.string());

const ProtectedResourceMetadata = z.object({
  resource: z.url().describe("The API's url, which is the audience of its access tokens."),
  resource_name: z.string().optional(),
  authorization_servers: texts.optional().describe('The issuers of the API; none where it lists no method.'),
  scopes_supported: texts.optional(),
  bearer_methods_supported: texts.optional(),
  access_token_format: z
    .enum(['jwt', 'opaque'])
    .describe(
      'A member of ours: `jwt` (RFC 9068), or `opaque`, which only introspection tells the meaning of.',
    ),
  access_token_signing_alg: z
    .enum(['ES256', 'RS256'])
    .optional()
    .describe('A member of ours: what the access tokens are signed with; left out where they are opaque.'),
  resource_documentation: z.url().optional(),
  resource_policy_uri: z.url().optional(),
  resource_tos_uri: z.url().optional(),
});

export const resourceMetadataDeclaration: Declaration = {
  path: z.object({ api_id: identifier.describe('The API.') }),
  answers: { ProtectedResourceMetadata },
  errors: [...refuses({ code: 'not_found', status: 404 }, ['There is no such API.']), ...serviceErrors],
};

export const managementMetadataDeclaration: Declaration = {
  answers: { ProtectedResourceMetadata },
  errors: serviceErrors,
};
