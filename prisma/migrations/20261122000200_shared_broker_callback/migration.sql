-- Brokers that are registered so far know the one address that all methods had. Their methods keep it until somebody who
-- has registered the method's own address says so.
UPDATE "auth_methods" SET "config" = "config" || '{"shared_callback": true}' WHERE "type" = 'broker';
