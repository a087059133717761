// The device authorization endpoint.
import { curl, exampleIssuer, ISSUER, type Prose } from './endpoint.ts';

export const deviceEndpoints: Prose[] = [
  {
    id: 'device-authorization',
    method: 'POST',
    pattern: `${ISSUER}/device_authorization`,
    summary: 'Connect a device',
    description:
      'For a device without a browser (RFC 8628), where the API says `device_grant: on` and the subscription `device: true`. It shows the code and the address, and polls the token endpoint until the person has decided in the browser of another device. The metadata name this address where the API connects devices.',
    answers: [
      {
        status: '200',
        description: 'What the device shows, and what it polls with.',
        example:
          '{"device_code":"ghd_…","user_code":"WDJB-MJHT","verification_uri":"https://auth.example/device","verification_uri_complete":"https://auth.example/device?user_code=WDJB-MJHT","expires_in":600,"interval":5}',
        schema: 'DeviceAuthorizationResponse',
      },
    ],
    command: (addresses) =>
      [
        curl(
          `${exampleIssuer(addresses)}/device_authorization`,
          '-d client_id=CLIENT_ID',
          "--data-urlencode 'scope=orders:read'",
        ),
        '',
        '# then every five seconds',
        curl(
          `${exampleIssuer(addresses)}/token`,
          '-d grant_type=urn:ietf:params:oauth:grant-type:device_code',
          '-d client_id=CLIENT_ID',
          '-d device_code=DEVICE_CODE',
        ),
      ].join('\n'),
  },
];
