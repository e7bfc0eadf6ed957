-- What a model read otherwise than the rules in a register (D12) is one more reading that is paid for once: told is {"model", "marks"} there.
INSERT INTO model_readings (document_id, user_id, key, told)
SELECT document_id, user_id, request, jsonb_build_object('model', model, 'marks', marks) FROM register_readings
ON CONFLICT DO NOTHING;
DROP TABLE register_readings;
