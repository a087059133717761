import { gatehouse } from 'gatehouse-verify/express';
import express from 'express';

const api = gatehouse({ api: {{metadata}}{{#opaque}}, introspectionSecret: process.env.INTROSPECTION_SECRET{{/opaque}} });
const orders = api.require({{#scope}}{ scope: {{scope}} }{{/scope}});
express()
  .get('/orders', orders, ({ caller }, response) => response.json({ sub: caller.sub }))
  .listen(8080);
