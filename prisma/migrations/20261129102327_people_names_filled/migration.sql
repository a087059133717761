-- Several people may have one name from before: the id comes first, then the kept subject, then the user name. A
-- reference by such a name is refused, and `gatehouse doctor` lists it.
INSERT INTO "people_names" ("name", "person_id") SELECT "id"::text, "id" FROM "people" ON CONFLICT DO NOTHING;
INSERT INTO "people_names" ("name", "person_id")
  SELECT lower("subject" COLLATE "C"), "id" FROM "people" WHERE "subject" IS NOT NULL ORDER BY "created_at", "id" ON CONFLICT DO NOTHING;
INSERT INTO "people_names" ("name", "person_id")
  SELECT "username", "id" FROM "people" WHERE "username" IS NOT NULL ORDER BY "created_at", "id" ON CONFLICT DO NOTHING;
