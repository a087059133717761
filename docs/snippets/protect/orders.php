<?php
require 'gatehouse.php';

$api = new Gatehouse\Api({{metadata}}{{#opaque}}, introspectionSecret: getenv('INTROSPECTION_SECRET'){{/opaque}});
$caller = $api->require({{#scope}}scope: {{scope}}{{/scope}}); // otherwise the refusal is sent, and PHP ends here
echo json_encode(['sub' => $caller->sub]);
