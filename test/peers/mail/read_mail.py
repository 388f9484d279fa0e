"""Prints what Python's email package makes of messages, one JSON object a line. Arguments are files."""

import email
import email.header
import email.policy
import email.utils
import json
import sys

for name in sys.argv[1:]:
    with open(name, "rb") as file:
        raw = file.read()
    message = email.message_from_bytes(raw, policy=email.policy.default)
    parts = list(message.walk())
    headers = [(key, str(value), [str(d) for d in value.defects]) for key, value in message.items()]
    print(json.dumps({
        # Not message["From"]: before Python 3.13 that keeps the space between two encoded words.
        "from": email.utils.parseaddr(
            str(email.header.make_header(email.header.decode_header(email.message_from_bytes(raw)["From"])))
        ),
        "subject": message["Subject"],
        "messageId": message["Message-ID"],
        "defects": [str(d) for part in parts for d in part.defects]
        + [f"{key}: {defect}" for key, _, defects in headers for defect in defects],
        "longestLine": max(len(line) for line in raw.split(b"\n")),
        "isAscii": raw.isascii(),
        "text": message.get_body(("plain",)).get_content(),
        "html": message.get_body(("html",)).get_content(),
        "attachments": [
            {"name": part.get_filename(), "type": part.get_content_type(), "text": part.get_payload(decode=True).decode("utf-8")}
            for part in message.iter_attachments() if part.get_content_disposition() == "attachment"
        ],
    }))
