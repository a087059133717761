{{#pushes}}await client.buildAuthorizationUrlWithPAR{{/pushes}}{{^pushes}}client.buildAuthorizationUrl{{/pushes}}
