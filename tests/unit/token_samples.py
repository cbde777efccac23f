"""Typical texts of a memory, each of about a hundred tokens or more, for testing token estimates."""

SAMPLES: dict[str, str] = {
    "english chat": (
        "Hey, quick update: the dentist moved my appointment to Thursday at half past four, so I can't make the retro. "
        "Could you remind me on Wednesday evening to bring the insurance card? Also, I finally told my manager about the "
        "Lisbon plan and she was surprisingly relaxed about it. We agreed that I'd work from there for two months, starting "
        "in April, as long as I overlap with the Singapore team in the mornings. I'm a bit nervous about the rent, to be "
        "honest, because everything near the river seems to cost twice what my brother pays in Porto."
    ),
    "english prose": (
        "The harbour woke slowly. Fishermen dragged their nets across the wet stones, complaining about the price of diesel "
        "and the stubborn indifference of the weather, while gulls argued overhead about nothing in particular. By the time "
        "the bakery opened its shutters, a thin line of sunlight had reached the chapel door, and the widow who kept the keys "
        "was already sweeping the steps with the same patience she had shown for thirty years. Nobody had ever asked her why "
        "she did it, and she had never felt the need to explain."
    ),
    "english technical": (
        "The summarizer claims a job with a lease of ninety seconds and renews it while the model is working. If the process "
        "dies, the lease runs out and another worker may take the same row; the fencing token makes sure that a late result "
        "of the first worker is refused. Backpressure is simple: when the queue holds more than a hundred pending rows for one "
        "owner, extraction coalesces neighbouring exchanges into a single request, which keeps the monthly cost below the cap "
        "and never delays the visible reply. PostgreSQL notifies listeners after the commit, and a slow poll runs besides."
    ),
    "english assistant": (
        "Sure! Here's a simple plan for the week:\n\n1. **Monday** – book the flights and confirm the hotel.\n2. **Tuesday** – "
        "send the draft to Priya; ask for comments by Thursday.\n3. **Wednesday** – gym at 7, then the call with the bank.\n"
        "4. **Thursday** – collect the comments and finish the report.\n5. **Friday** – pack, and take the rest of the day off.\n\n"
        "Would you like me to remind you each morning? I can also keep a short list of what is still open, so nothing gets lost "
        "when you change your mind about the order."
    ),
    "python": (
        "async def claim(pool: Pool, worker: str, limit: int = 5) -> list[Job]:\n"
        '    """Take the oldest jobs nobody works on."""\n'
        "    async with pool.acquire() as connection, connection.transaction():\n"
        "        rows = await connection.fetch(CLAIM_SQL, worker, limit)\n"
        "    jobs = [Job(id=row['id'], kind=row['kind'], payload=json.loads(row['payload'])) for row in rows]\n"
        "    for job in jobs:\n"
        "        logger.info('claimed %s (attempt %d)', job.id, job.attempt)\n"
        "        if job.attempt > MAX_ATTEMPTS:\n"
        "            raise TooManyAttempts(job.id)\n"
        "    return jobs\n"
    ),
    "typescript": (
        "export class MemoryClient {\n  private readonly baseUrl: string;\n\n  constructor(options: ClientOptions) {\n"
        "    this.baseUrl = options.baseUrl ?? 'http://localhost:8080';\n  }\n\n"
        "  async getContext(chatId: number, query?: string): Promise<ContextResult> {\n"
        "    const response = await fetch(`${this.baseUrl}/context?chat=${chatId}`, {\n      method: 'POST',\n"
        "      headers: { 'Content-Type': 'application/json' },\n      body: JSON.stringify({ query, tokenBudget: 4300 }),\n    });\n"
        "    if (!response.ok) {\n      throw new Error(`Request failed: ${response.status}`);\n    }\n    return response.json();\n  }\n}\n"
    ),
    "sql": (
        "select m.id, m.content, m.sent_at, ts_rank(f.document, query) as rank\nfrom messages m\njoin message_fts f on f.owner_id = m.owner_id"
        " and f.message_id = m.id,\n     websearch_to_tsquery('english', $3) query\nwhere m.owner_id = $1\n  and m.chat_id = $2\n"
        "  and f.document @@ query\n  and m.sent_at >= now() - interval '30 days'\norder by rank desc, m.sent_at desc\nlimit 20;\n\n"
        "create index if not exists messages_by_thread on messages (owner_id, chat_id, thread_key, id desc) include (role, tokens);\n"
    ),
    "json": (
        '{"id": 1842, "kind": "preference", "content": "Prefers concise answers with bullet points", "scope": "global",\n'
        ' "status": "active", "confidence": 0.92, "sources": [1201, 1203, 1377], "pinned": false,\n'
        ' "valid_from": "2026-02-18T09:15:00+08:00", "valid_to": null, "deadline": null,\n'
        ' "tags": ["style", "format", "assistant"], "origin": {"model": "haiku", "job": 88412, "attempt": 1}}\n'
        '{"id": 1843, "kind": "goal", "content": "Launch the integration by Q2 2026", "scope": "chat", "priority": 2}\n'
    ),
    "shell": (
        "#!/usr/bin/env bash\nset -euo pipefail\n\nfor day in $(seq 1 7); do\n  file=\"logs/$(date -d \"-$day days\" +%Y-%m-%d).jsonl\"\n"
        "  [[ -f \"$file\" ]] || continue\n  grep -c '\"event\":\"ltm_store_result\"' \"$file\" | awk -v d=\"$day\" '{ print d, $1 }'\ndone | sort -n"
        " > /tmp/counts.txt\n\ndocker compose up -d --build && docker compose logs -f --tail=100 server\ncurl -sS http://localhost:8080/health"
        " | jq '.status'\n"
    ),
    "chinese chat": (
        "早上好！昨天我跟经理谈过了，她同意我从四月开始在里斯本远程工作两个月，条件是每天上午要和新加坡的同事一起开会。"
        "我有点担心房租，因为河边的公寓都很贵，差不多是我弟弟在波尔图的两倍。你能帮我记一下吗？另外，牙医把我的预约改到了"
        "星期四下午四点半，所以那天的会议我参加不了。请星期三晚上提醒我带上保险卡。对了，我女儿下周开始上小学，她的老师姓陈，"
        "我们需要准备书包和运动鞋。周末我打算带全家去公园跑步，然后一起吃午饭。"
    ),
    "chinese news": (
        "根据最新的研究报告，今年上半年全球经济增长速度有所放缓，但是亚洲地区的消费市场仍然保持稳定。专家认为，企业应该继续"
        "加强技术创新，提高产品质量，同时减少能源使用对环境的影响。政府部门表示，未来三年将投入更多资金支持教育和医疗服务的"
        "发展，特别是农村地区的学校和医院。与此同时，越来越多的年轻人选择在互联网公司工作，他们希望得到更好的收入和更加灵活的"
        "工作时间。分析人士指出，这种变化会给城市的交通和住房带来新的问题。"
    ),
    "japanese chat": (
        "おはようございます。昨日、上司と話しました。四月から二か月間、リスボンでリモートワークをしてもいいそうです。"
        "ただし、毎朝シンガポールのチームとのミーティングには出なければなりません。家賃が少し心配です。川の近くのアパートは"
        "どこも高くて、弟がポルトで払っている金額の二倍くらいします。それから、歯医者の予約が木曜日の四時半に変わったので、"
        "会議には参加できません。水曜日の夜に、保険証を持っていくように知らせてください。娘は来週から小学校に通います。"
    ),
    "russian chat": (
        "Привет! Вчера я поговорил с начальницей, и она согласилась, чтобы я два месяца работал из Лиссабона, начиная с апреля. "
        "Условие одно: по утрам нужно быть на связи с командой из Сингапура. Немного волнуюсь из-за аренды, потому что квартиры "
        "у реки стоят вдвое дороже, чем платит мой брат в Порту. Ещё стоматолог перенёс приём на четверг, на половину пятого, "
        "так что на встречу я не успею. Напомни мне, пожалуйста, в среду вечером взять страховку. Дочка на следующей неделе идёт в школу."
    ),
    "emoji chat": (
        "Happy birthday!!! 🎉🎂🥳 Hope you have the best day ever ❤️❤️ We miss you so much 😭 The kids made a card for you 👧🏽👦🏽✏️ "
        "and the dog ate half of it 🐶😂😂 Anyway, dinner on Saturday? 🍕🍷 I'll bring dessert 🍰👍 Tell Tom he still owes me a beer 🍺😏 "
        "See you soon 👋😘 PS: flight lands at 6 ✈️🛬 and the weather looks great ☀️🌊🏖️ can't wait 🙌🙌🔥 love you all 💕💕💕"
    ),
    "emoji heavy": (
        "😀😃😄😁😆😅😂🤣😊😇🙂🙃😉😌😍🥰😘😗😙😚😋😛😝😜🤪🤨🧐🤓😎🤩🥳😏😒😞😔😟😕🙁☹️😣😖😫😩🥺😢😭😤😠😡🤬"
    ),
    "urls": (
        "See https://docs.example.org/guides/getting-started?lang=en&version=2.3#install and the ticket at "
        "https://github.com/example/chat-memory/issues/4812 for details. The dashboard lives under "
        "https://grafana.internal.example.net/d/abc123/memory-overview?orgId=1&from=now-6h&to=now and the raw files are at "
        "https://storage.example.com/backups/2026/02/18/messages-part-0007.parquet. My slides: "
        "https://slides.example.edu/~ana/talks/2025-11-long-term-memory.pdf"
    ),
    "numbers": (
        "Invoice 2026-00418, due 2026-03-31: 12 x 149.00 = 1,788.00; shipping 24.50; VAT 19 % = 344.38; total 2,156.88 EUR. "
        "Account 123456789012, reference 88-4471-0093. Readings: 72.4, 71.9, 73.1, 72.8, 72.2 kg; blood pressure 121/79, 118/77, "
        "124/81; pulse 58, 61, 57. Phone +65 9123 4567 or 020 7946 0958. Meetings at 09:15, 11:30 and 16:45."
    ),
    "identifiers": (
        "Deploy 7f3c9e1 failed on node ip-10-0-42-17; trace 4bf92f3577b34da6a3ce929d0e0e4736, request "
        "550e8400-e29b-41d4-a716-446655440000. Rolled back to a81b0d4 (sha256 9f86d081884c7d659a2feaa0c55ad015). "
        "Lambda arn:aws:lambda:ap-southeast-1:123456789012:function:nightly-cost-report, bucket s3://acme-logs-prod-2026."
    ),
    "markdown table": (
        "| kind | count | tokens | oldest |\n|---|--:|--:|---|\n| fact | 128 | 2,431 | 2025-11-02 |\n| preference | 17 | 402 | 2025-12-14 |\n"
        "| goal | 9 | 311 | 2026-01-03 |\n| date | 22 | 498 | 2026-01-19 |\n| outcome | 4 | 120 | 2026-02-01 |\n\n"
        "*All counts are of active memories; superseded ones are in the history.*\n"
    ),
    "mixed languages": (
        "Meeting notes: 我们决定 use PostgreSQL for the memory store, und die Kollegen aus Berlin kümmern sich um das Deployment. "
        "Марина возьмёт тесты, and プリヤさん will review the API. Deadline: 2026-06-30. Offene Frage: wer bezahlt die GPUs? "
        "下次会议是 Thursday 下午三点, Zoom link as usual. Bitte bringt die Zahlen vom letzten Quartal mit. 谢谢大家！"
    ),
    "rendered context": (
        "─── Wednesday, 18 February 2026 ───\n[09:15 AM] User: Don't forget my team offsite is on March 15\n[09:15 AM] Assistant: Noted, "
        "I'll remind you in the second week of March.\n[morning-summary | 07:02 AM, 8h ago]: Two meetings today, rain in the afternoon, "
        "and the AWS bill is 4 % under budget.\n[Summary | Feb 15–16]: The user planned the move to Lisbon and compared three flats.\n"
        "[02:40 PM] User: What time did you send the briefing?\n"
    ),
}  # fmt: skip
