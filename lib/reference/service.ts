/** Area A: health, readiness, and the two descriptions of the service itself. */
import { curl, type EndpointSource } from './endpoint.ts';
import { methodNotAllowed } from './shared.ts';

export const serviceEndpoints: EndpointSource[] = [
  {
    id: 'health',
    area: 'A',
    method: 'GET',
    path: '/health',
    summary: 'Is the process alive?',
    description:
      'Answers 200 for as long as the process serves. It asks nothing of the database, so a restart triggered by it never makes a database outage worse. Needs no authentication.',
    parameters: [],
    answers: [
      {
        status: '200',
        description: 'The process serves.',
        example: '{"status":"ok","version":"0.1.0"}',
        schema: 'Health',
        mediaType: 'application/json',
      },
    ],
    errors: [methodNotAllowed],
    command: ({ baseUrl }) => curl(`${baseUrl}/health`),
  },
  {
    id: 'ready',
    area: 'A',
    method: 'GET',
    path: '/ready',
    summary: 'May traffic be sent here?',
    description:
      'Runs each check and names it with its result. Point a load balancer at this address, and a liveness probe at /health. Needs no authentication.',
    parameters: [],
    answers: [
      {
        status: '200',
        description: 'Every check passed.',
        schema: 'Readiness',
        mediaType: 'application/json',
      },
      {
        status: '503',
        description: 'At least one check failed; the body names it. Send traffic elsewhere.',
        schema: 'Readiness',
        mediaType: 'application/json',
      },
    ],
    errors: [methodNotAllowed],
    command: ({ baseUrl }) => curl(`${baseUrl}/ready`, '-i'),
  },
  {
    id: 'documentation',
    area: 'A',
    method: 'GET',
    path: '/documentation',
    summary: 'This page',
    description:
      'Every endpoint of both areas with its parameters, answers, errors and a command to paste, and the valid combinations of authentication method and API.',
    parameters: [],
    answers: [{ status: '200', description: 'The HTML page.', schema: 'Html', mediaType: 'text/html' }],
    errors: [],
    command: ({ baseUrl }) => curl(`${baseUrl}/documentation`),
  },
  {
    id: 'openapi',
    area: 'A',
    method: 'GET',
    path: '/openapi.json',
    summary: 'The machine-readable description',
    description: 'OpenAPI 3.1 of both areas, from the same source as this page. `info.version` is 0.1.0.',
    parameters: [],
    answers: [
      {
        status: '200',
        description: 'The OpenAPI document.',
        schema: 'OpenApiDocument',
        mediaType: 'application/json',
      },
    ],
    errors: [methodNotAllowed],
    command: ({ baseUrl }) => curl(`${baseUrl}/openapi.json`, '-o openapi.json'),
  },
];
