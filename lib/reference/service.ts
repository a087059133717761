// Health, readiness, and the two descriptions of the service itself.
import { INTERFACE_VERSION } from '#lib/kit/version.ts';
import { methodNotAllowed } from '#lib/oauth/errors/declaration.ts';
import { curl, type Prose } from './endpoint.ts';
import { Html, OpenApiDocument } from './schemas.ts';

export const serviceEndpoints: Prose[] = [
  {
    id: 'health',
    method: 'GET',
    pattern: '/health',
    summary: 'Is the process alive?',
    description:
      'Answers 200 for as long as the process serves. It asks nothing of the database, so a restart triggered by it never makes a database outage worse. Needs no authentication.',
    answers: [
      {
        status: '200',
        description: 'The process serves.',
        example: JSON.stringify({ status: 'ok', version: INTERFACE_VERSION }),
        schema: 'Health',
      },
    ],
    command: ({ baseUrl }) => curl(`${baseUrl}/health`),
  },
  {
    id: 'ready',
    method: 'GET',
    pattern: '/ready',
    summary: 'May traffic be sent here?',
    description:
      'Runs each check and names it with its result. Point a load balancer at this address, and a liveness probe at /health. Needs no authentication.',
    answers: [
      { status: '200', description: 'Every check passed.', schema: 'Readiness' },
      {
        status: '503',
        description: 'At least one check failed; the body names it. Send traffic elsewhere.',
        schema: 'Readiness',
      },
    ],
    command: ({ baseUrl }) => curl(`${baseUrl}/ready`, '-i'),
  },
  {
    id: 'webauthn',
    method: 'GET',
    pattern: '/.well-known/webauthn',
    summary: 'Where passkeys may be used',
    description:
      'The origins of our own pages (WebAuthn Level 3, related origins). A browser asks by itself, at the domain that passkeys belong to (`PASSKEY_RP_ID`), where a page is not below that domain.',
    answers: [
      {
        status: '200',
        description: 'The origins.',
        example: '{"origins":["https://auth.example","https://www.example"]}',
        schema: 'RelatedOrigins',
      },
    ],
    command: ({ baseUrl }) => curl(`${baseUrl}/.well-known/webauthn`),
  },
  {
    id: 'change-password',
    method: 'GET',
    pattern: '/.well-known/change-password',
    summary: 'Where a user changes the password',
    description:
      'Password managers and browsers open it (W3C, A Well-Known URL for Changing Passwords). The page changes passwords that Gatehouse stores.',
    answers: [
      {
        status: '302',
        description: 'The page that changes a password.',
        location: 'The page, at the service’s own address.',
      },
    ],
    command: ({ baseUrl }) => curl(`${baseUrl}/.well-known/change-password`, '-i'),
  },
  {
    id: 'passkey-endpoints',
    method: 'GET',
    pattern: '/.well-known/passkey-endpoints',
    summary: 'Where a user adds and sees passkeys',
    description:
      'Password managers read it (W3C, Passkey Endpoints Well-Known URL) and offer a passkey to a user who signs in with a password.',
    answers: [
      {
        status: '200',
        description: 'The two pages.',
        example:
          '{"enroll":"https://login.example/account/security/add","manage":"https://login.example/account/security"}',
        schema: 'PasskeyEndpoints',
      },
    ],
    command: ({ baseUrl }) => curl(`${baseUrl}/.well-known/passkey-endpoints`),
  },
  {
    id: 'documentation',
    method: 'GET',
    pattern: '/documentation',
    summary: 'This page',
    description:
      'Every endpoint of both areas with its parameters, answers, errors and a command to paste, and the valid combinations of authentication method and API.',
    answers: [{ status: '200', description: 'The HTML page.', schema: 'Html', mediaType: 'text/html' }],
    command: ({ baseUrl }) => curl(`${baseUrl}/documentation`),
    declares: { answers: { Html }, errors: [] },
  },
  {
    id: 'openapi',
    method: 'GET',
    pattern: '/openapi.json',
    summary: 'The machine-readable description',
    description: `OpenAPI 3.1 of both areas, from the same source as this page. \`info.version\` is ${INTERFACE_VERSION}, the version of the interface.`,
    answers: [{ status: '200', description: 'The OpenAPI document.', schema: 'OpenApiDocument' }],
    command: ({ baseUrl }) => curl(`${baseUrl}/openapi.json`, '-o openapi.json'),
    declares: { answers: { OpenApiDocument }, errors: [methodNotAllowed] },
  },
];
