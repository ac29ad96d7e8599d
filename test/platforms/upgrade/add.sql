-- Adds rows of the running server, so that each version has added some.
INSERT INTO made DEFAULT VALUES;
INSERT INTO made DEFAULT VALUES;
INSERT INTO core_name DEFAULT VALUES;
INSERT INTO event (body) SELECT 'of ' || current_setting('server_version_num') FROM generate_series(1, 50);
INSERT INTO log (line) SELECT 'of ' || current_setting('server_version_num') FROM generate_series(1, 50);
